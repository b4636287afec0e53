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
import { languages } from '../../locales/languages'
import { appError } from '../../shared/errors'
import { type Language, toOpenableUrl } from '../../shared/fields'
import { err, ok } from '../../shared/result'
import { fillSentence } from '../../shared/sentences'
import type { Desktop, Target } from '../lib/desktop'
import { toReason } from '../lib/toReason'
import { toDevice } from './targetConsent'

/** @param parent returns the window that dialogs belong to; undefined while there is none */
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

  /** Returns the index of the chosen answer; null for cancel. Enter cancels, because a barcode scanner may send it. */
  async function ask(
    language: Language,
    question: Pick<MessageBoxOptions, 'type' | 'message' | 'detail'>,
    answers: readonly string[],
  ): Promise<number | null> {
    const { appName: title, cancel } = locales[language].common
    const last = { defaultId: answers.length, cancelId: answers.length }
    const options = { ...question, ...last, title, buttons: [...answers, cancel], noLink: true }
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
      const detail = `${describeTargets(language, targets).join('\n')}\n\n${words.advice}`
      const question = { type: 'warning', message: words.question, detail } as const
      return (await ask(language, question, [words.allow])) === 0
    },
    async askQuit(language) {
      const { question: message, detail, confirm } = locales[language].quit
      return (await ask(language, { type: 'warning', message, detail }, [confirm])) === 0
    },
    async askRestore(language, folder, { day, shipments }, targets) {
      const words = locales[language].restore
      const days = new Intl.DateTimeFormat(languages[language].locale, { dateStyle: 'full', timeZone: 'UTC' })
      const facts = {
        day: days.format(new Date(day)),
        shipments: String(shipments),
        folder: toShownPlace(folder),
      }
      const message = fillSentence(words.question, facts)
      const places =
        targets.length === 0 ? [] : [[words.newPlaces, ...describeTargets(language, targets)].join('\n')]
      const detail = [...places, ...words.meaning.map((line) => `• ${line}`)].join('\n\n')
      return (await ask(language, { type: 'warning', message, detail }, [words.restore])) === 0
    },
    async chooseScale(language, scales) {
      const shown = scales.map((scale) => toShownPlace(toDevice(scale)))
      return ask(language, { message: locales[language].scale.question }, shown)
    },
    copyText: (text) => clipboard.writeText(text),
    async openInBrowser(link) {
      // SECURITY: only https URLs, and http to this computer: other schemes can start programs.
      const url = toOpenableUrl(link)
      if (url === null) return false
      await shell.openExternal(url.href)
      return true
    },
    async openFolder(path) {
      // The system's reason may be meaningless, so the error also names the folder.
      const reason = await shell.openPath(path)
      return reason === '' ? ok(undefined) : err(appError('folder-not-opened', { folder: path, reason }))
    },
  }
}

/** What may go where, one target per line. */
export function describeTargets(language: Language, targets: readonly Target[]): string[] {
  const { places } = locales[language].consent
  return targets.map((target) => {
    const printer = 'printer' in target ? target.printer : undefined
    return `• ${fillSentence(places[target.kind], { printer })}: ${toShownPlace(target.place)}`
  })
}

/** Maximum length of a shown place: a long one from the page could fill the screen. */
const maxPlaceLength = 300

/** Replaces characters that break lines or change the text direction. */
function toShownPlace(place: string): string {
  const plain = place.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd')
  return plain.length > maxPlaceLength ? `${plain.slice(0, maxPlaceLength)}…` : plain
}
