import { shell } from 'electron'
import { openableLink } from '../shipments/trackingLink'

/**
 * SECURITY: hands a link to the browser. Only secure web addresses get there: other schemes start programs.
 * @returns whether it was handed over
 */
export async function openInBrowser(link: string): Promise<boolean> {
  const url = openableLink(link)
  if (url === null) return false
  await shell.openExternal(url.href)
  return true
}
