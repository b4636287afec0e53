import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from 'electron'
import { z } from 'zod'
import { languageSchema } from '../../shared/fields'

const locales = { en: 'en-GB', nl: 'nl' }

/**
 * Lets Chromium's own controls, such as those for dates, speak the station's language and not the system's. It can be
 * told only before the app is ready: another language of the settings holds for them from the next start.
 */
export function speakLanguageOfStation(app: Pick<App, 'commandLine'>, dataFolder: string): void {
  const language = languageOfStation(join(dataFolder, 'settings.json'))
  if (language !== undefined) app.commandLine.appendSwitch('lang', locales[language])
}

/** The language that the settings name; undefined while there are none that can be read. */
function languageOfStation(settingsPath: string): keyof typeof locales | undefined {
  try {
    const settings: unknown = JSON.parse(readFileSync(settingsPath, 'utf8'))
    return z.object({ language: languageSchema }).safeParse(settings).data?.language
  } catch {
    return undefined
  }
}
