import type { TFunction } from 'i18next'
import type { Page } from 'playwright'
import { createTranslator } from '../../../src/renderer/i18n/translator'
import { framesDrawn } from './layout'

/** The looks in which a screen is checked: each language and each appearance once. */
const bothLooks = [
  { language: 'en', appearance: 'light' },
  { language: 'nl', appearance: 'dark' },
] as const
type Look = (typeof bothLooks)[number]

/** A window whose screens are checked in both looks on one journey. */
export interface Looks {
  /** The app's words in the language that the window shows now. */
  t: TFunction
  current(): Look
  /** Shows the other look, in which the journey continues. */
  change(): Promise<void>
  /** Checks the screen as it is now, then in the other look, in which the journey continues. */
  inBoth(check: () => Promise<void>): Promise<void>
}

/** Shows the window in the first look. */
export async function startLooks(page: Page): Promise<Looks> {
  const [first, second] = bothLooks
  const translator = createTranslator(first.language)
  let current: Look = first
  const show = async (look: Look) => {
    current = look
    await translator.changeLanguage(look.language)
    await page.evaluate((change) => window.packbench.changeSettings(change), look)
    await page
      .locator(`html[lang="${look.language}"][data-mantine-color-scheme="${look.appearance}"]`)
      .waitFor()
    // The document's language changes before the words do.
    await page.evaluate(framesDrawn)
  }
  const change = () => show(current === first ? second : first)
  await show(first)
  return {
    t: translator.t,
    current: () => current,
    change,
    async inBoth(check) {
      await check()
      await change()
      await check()
    },
  }
}
