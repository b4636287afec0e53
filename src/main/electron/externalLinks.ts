import { shell } from 'electron'

/**
 * SECURITY: hands a link to the browser. Only web addresses get there: other schemes start programs.
 * @returns whether it was handed over
 */
export async function openInBrowser(link: string): Promise<boolean> {
  if (!URL.canParse(link)) return false
  const url = new URL(link)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return false
  await shell.openExternal(url.href)
  return true
}
