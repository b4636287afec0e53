import { writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import {
  type BrowserWindow,
  clipboard,
  dialog,
  type MessageBoxOptions,
  type OpenDialogOptions,
  type SaveDialogOptions,
  shell,
} from 'electron'
import { locales } from '../../locales'
import type { Backup } from '../../shared/app'
import { appError } from '../../shared/errors'
import type { Language } from '../../shared/fields'
import { err, ok, type Result } from '../../shared/result'
import type { Scale } from '../../shared/scale'
import { fillSentence } from '../../shared/sentences'
import { toOpenableUrl } from '../lib/networks'
import { toReason } from '../lib/toReason'
import { type Target, toDevice } from './targetConsent'

/** What the operator's desktop does for the app: dialogs, files of the operator's choice, the clipboard, the browser. */
export interface Desktop {
  /** Lets the operator choose a folder; null for none. */
  chooseFolder(): Promise<string | null>
  /** Lets the operator choose a file with a table; null for none. */
  chooseTableFile(): Promise<string | null>
  /** Lets the operator say where a file is to be saved; null for nowhere. */
  chooseSavePath(suggestedName: string): Promise<string | null>
  /**
   * Asks for a place and writes a file there.
   * @returns its path, null when no place was chosen; 'file-not-saved' when it could not be written
   */
  saveFile(fileName: string, bytes: Uint8Array): Promise<Result<string | null>>
  /** Asks whether labels, orders and credentials may go to new places. */
  askConsent(language: Language, targets: readonly Target[]): Promise<boolean>
  /** Says what restoring a station's copy means, and asks whether it shall be done. */
  askRestore(language: Language, folder: string, copy: Backup): Promise<boolean>
  /** Asks which of some scales is meant; null for none. */
  chooseScale(language: Language, scales: readonly Scale[]): Promise<number | null>
  copyText(text: string): void
  /** Hands a link to the browser; false for one that is not safe to open. */
  openInBrowser(link: string): Promise<boolean>
  openFolder(path: string): Promise<Result<undefined>>
}

/** @param parent the window that dialogs belong to; undefined while there is none */
export function createDesktop(parent: () => BrowserWindow | undefined): Desktop {
  async function choose(options: OpenDialogOptions): Promise<string | null> {
    const window = parent()
    const choice = window
      ? await dialog.showOpenDialog(window, options)
      : await dialog.showOpenDialog(options)
    return choice.filePaths[0] ?? null
  }

  async function choosePath(options: SaveDialogOptions): Promise<string | null> {
    const window = parent()
    const choice = window
      ? await dialog.showSaveDialog(window, options)
      : await dialog.showSaveDialog(options)
    return choice.canceled || choice.filePath === '' ? null : choice.filePath
  }

  /** The place of the chosen answer; null for cancel, which is what Enter does: a scanner sends it unasked. */
  async function ask(
    question: Pick<MessageBoxOptions, 'type' | 'message' | 'detail'>,
    answers: readonly string[],
    cancel: string,
  ): Promise<number | null> {
    const last = { defaultId: answers.length, cancelId: answers.length }
    const options = { ...question, ...last, title: 'Packbench', buttons: [...answers, cancel], noLink: true }
    const window = parent()
    const { response } = window
      ? await dialog.showMessageBox(window, options)
      : await dialog.showMessageBox(options)
    return response < answers.length ? response : null
  }

  return {
    chooseFolder: () => choose({ properties: ['openDirectory', 'createDirectory'] }),
    chooseTableFile: () =>
      choose({
        properties: ['openFile'],
        filters: [{ name: 'CSV, XLSX', extensions: ['csv', 'txt', 'tsv', 'xlsx'] }],
      }),
    chooseSavePath: (suggestedName) => choosePath({ defaultPath: suggestedName }),
    async saveFile(fileName, bytes) {
      const extension = extname(fileName).slice(1)
      const filters = [{ name: extension.toUpperCase(), extensions: [extension] }]
      const path = await choosePath({ defaultPath: fileName, filters })
      if (path === null) return ok(null)
      try {
        await writeFile(path, bytes)
        return ok(path)
      } catch (error) {
        const reason = toReason(error)
        return err(appError('file-not-saved', { path, reason }))
      }
    },
    async askConsent(language, targets) {
      const words = locales[language].consent
      const lines = targets.map((target) => {
        const printer = 'printer' in target ? target.printer : undefined
        return `• ${fillSentence(words.places[target.kind], { printer })}: ${toShownPlace(target.place)}`
      })
      const detail = `${lines.join('\n')}\n\n${words.advice}`
      const question = { type: 'warning', message: words.question, detail } as const
      return (await ask(question, [words.allow], words.cancel)) === 0
    },
    async askRestore(language, folder, { day, shipments }) {
      const words = locales[language].restore
      const facts = { day, shipments: String(shipments), folder: toShownPlace(folder) }
      const message = fillSentence(words.question, facts)
      const detail = words.meaning.map((line) => `• ${line}`).join('\n\n')
      return (await ask({ type: 'warning', message, detail }, [words.restore], words.cancel)) === 0
    },
    async chooseScale(language, scales) {
      const words = locales[language].scale
      const shown = scales.map((scale) => toShownPlace(toDevice(scale)))
      return ask({ message: words.question }, shown, words.cancel)
    },
    copyText: (text) => clipboard.writeText(text),
    async openInBrowser(link) {
      // SECURITY: only secure web addresses get there: other schemes start programs.
      const url = toOpenableUrl(link)
      if (url === null) return false
      await shell.openExternal(url.href)
      return true
    },
    async openFolder(path) {
      // The reason is the system's own and may be empty of sense: the place is what helps.
      const reason = await shell.openPath(path)
      return reason === '' ? ok(undefined) : err(appError('folder-not-opened', { folder: path, reason }))
    },
  }
}

/** Longest text of a place that is shown: what a page names could fill the screen. */
const maxPlaceLength = 300

/** Without characters that break lines or turn their direction. */
function toShownPlace(place: string): string {
  const plain = place.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd')
  return plain.length > maxPlaceLength ? `${plain.slice(0, maxPlaceLength)}…` : plain
}
