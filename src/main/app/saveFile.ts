import { writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { type BrowserWindow, dialog } from 'electron'
import { appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'

/**
 * Asks for a place and writes a file there.
 * @returns its path, null when no place was chosen; 'file-not-saved' when it could not be written
 */
export async function saveFile(
  parent: BrowserWindow | undefined,
  fileName: string,
  bytes: Uint8Array,
): Promise<Result<string | null>> {
  const extension = extname(fileName).slice(1)
  const options = {
    defaultPath: fileName,
    filters: [{ name: extension.toUpperCase(), extensions: [extension] }],
  }
  const choice =
    parent === undefined ? await dialog.showSaveDialog(options) : await dialog.showSaveDialog(parent, options)
  if (choice.canceled || choice.filePath === '') return ok(null)
  try {
    await writeFile(choice.filePath, bytes)
    return ok(choice.filePath)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return err(appError('file-not-saved', { path: choice.filePath, reason }))
  }
}
