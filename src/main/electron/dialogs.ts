import { dialog, type OpenDialogOptions } from 'electron'
import type { MainWindow } from './mainWindow'

/** Lets the operator choose a folder; null for none. */
export function chooseFolder(window: MainWindow): Promise<string | null> {
  return choose(window, { properties: ['openDirectory', 'createDirectory'] })
}

/** Lets the operator choose a file with a table; null for none. */
export function chooseTableFile(window: MainWindow): Promise<string | null> {
  return choose(window, {
    properties: ['openFile'],
    filters: [{ name: 'CSV, XLSX', extensions: ['csv', 'txt', 'tsv', 'xlsx'] }],
  })
}

/** Lets the operator say where a file is to be saved; null for nowhere. */
export async function chooseSavePath(window: MainWindow, suggestedName: string): Promise<string | null> {
  const parent = window.dialogParent()
  const options = { defaultPath: suggestedName }
  const choice =
    parent === undefined ? await dialog.showSaveDialog(options) : await dialog.showSaveDialog(parent, options)
  return choice.canceled || choice.filePath === '' ? null : choice.filePath
}

async function choose(window: MainWindow, options: OpenDialogOptions): Promise<string | null> {
  const parent = window.dialogParent()
  const choice =
    parent === undefined ? await dialog.showOpenDialog(options) : await dialog.showOpenDialog(parent, options)
  return choice.filePaths[0] ?? null
}
