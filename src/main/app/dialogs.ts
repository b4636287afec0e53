import { dialog, type OpenDialogOptions } from 'electron'
import { locales } from '../../locales'
import type { Language } from '../../shared/fields'
import { fillSentence } from '../../shared/sentences'
import type { MainWindow } from './mainWindow'
import type { Target } from './targetConsent'

/** Longest text of a place that is shown: what a page names could fill the screen. */
const maxPlaceLength = 300

/** Asks whether labels, orders and credentials may go to new places. Cancel is what Enter does: a scanner sends it unasked. */
export async function askConsent(
  window: MainWindow,
  language: Language,
  targets: readonly Target[],
): Promise<boolean> {
  const words = locales[language].consent
  const lines = targets.map((target) => {
    const printer = 'printer' in target ? target.printer : undefined
    return `• ${fillSentence(words.places[target.kind], { printer })}: ${shownPlace(target.place)}`
  })
  const options = {
    type: 'warning' as const,
    title: 'Packbench',
    message: words.question,
    detail: `${lines.join('\n')}\n\n${words.advice}`,
    buttons: [words.allow, words.cancel],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  }
  const parent = window.dialogParent()
  const choice =
    parent === undefined ? await dialog.showMessageBox(options) : await dialog.showMessageBox(parent, options)
  return choice.response === 0
}

/** Without characters that break lines or turn their direction. */
function shownPlace(place: string): string {
  const plain = place.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd')
  return plain.length > maxPlaceLength ? `${plain.slice(0, maxPlaceLength)}…` : plain
}

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
