import type { ElectronApplication } from 'playwright'
import { describe, expect, it } from 'vitest'
import { launch } from './support/drivenApp'
import { resize } from './support/layout'
import { sharedStation, startStation } from './support/provisioned'

/** Presses a key with Ctrl as the keyboard does, so that main sees it before the page. */
async function pressWithControl(app: ElectronApplication, keyCode: string): Promise<void> {
  await app.evaluate(({ BrowserWindow }, key) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    contents?.sendInputEvent({ type: 'keyDown', keyCode: key, modifiers: ['control'] })
    contents?.sendInputEvent({ type: 'keyUp', keyCode: key, modifiers: ['control'] })
  }, keyCode)
}

function getZoom(app: ElectronApplication): Promise<number> {
  return app.evaluate(({ BrowserWindow }) => {
    const factor = BrowserWindow.getAllWindows()[0]?.webContents.getZoomFactor() ?? 0
    return Math.round(factor * 100)
  })
}

describe('zoom', () => {
  it('changes with Ctrl and + - 0, also on the number pad, between 75 and 200 %, is shown, listed among the shortcuts and remembered, like the position of the window and the language of native fields', async () => {
    const { app, page, data, close } = await startStation()
    const gives = async (keyCode: string, percent: number) => {
      await pressWithControl(app, keyCode)
      await page.getByTestId('zoom').getByText(`${percent} %`).waitFor()
      expect(await getZoom(app)).toBe(percent)
    }
    await gives('+', 110)
    await gives('numadd', 125)
    await gives('=', 150)
    await gives('numsub', 125)
    await gives('-', 110)
    await gives('0', 100)
    for (const percent of [110, 125, 150, 175, 200, 200]) await gives('+', percent)
    await gives('num0', 100)
    for (const percent of [90, 80, 75, 75]) await gives('-', percent)
    await page.getByTestId('zoom').waitFor({ state: 'detached' })
    await gives('0', 100)
    await gives('+', 110)
    await page.keyboard.press('F1')
    await page.getByRole('dialog').getByRole('button', { name: 'Keys', exact: true }).click()
    await page.getByRole('dialog').getByText('Larger, smaller, usual size').waitFor()
    const stood = { x: 60, y: 40, width: 1100, height: 720 }
    await app.evaluate(
      ({ BrowserWindow }, bounds) => BrowserWindow.getAllWindows()[0]?.setBounds(bounds),
      stood,
    )
    const getBounds = (from: ElectronApplication) =>
      from.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds())
    await expect.poll(() => getBounds(app)).toEqual(stood)
    await page.evaluate(() => window.packbench.changeSettings({ language: 'nl' }))
    await page.locator('html[lang="nl"]').waitFor()
    await close()
    const again = await launch(data)
    expect(await getZoom(again.app)).toBe(110)
    expect(await getBounds(again.app)).toEqual(stood)
    // Playwright overrides the page's locale, so the app's locale is checked.
    expect(await again.app.evaluate(({ app: main }) => main.getLocale())).toBe('nl')
  })
})

const operator = 'Wilhelmina van den Berg-Hendriksen'
const printer = 'Zebra ZD421 packing bench 3 (east)'
const station = sharedStation({
  printers: [{ id: 'file', driver: 'folder', path: 'out', name: printer }],
  people: { operators: [{ name: operator }] },
})

describe('the status bar at 150 %', () => {
  it('shows long names of an operator and a printer in full', async () => {
    const { app, page } = await station()
    await page.evaluate((name) => window.packbench.signIn({ name }), operator)
    await page.locator('footer').getByText(operator).waitFor()
    await resize(app, page, { width: 1280, height: 800, zoom: 1.5 })
    for (const name of [operator, printer]) {
      const text = page.locator('footer').getByText(name)
      expect(
        await text.evaluate((element) => [
          element.scrollWidth - element.clientWidth,
          element.scrollHeight - element.clientHeight,
          element.clientWidth > 40,
        ]),
      ).toEqual([0, 0, true])
    }
  })
})

describe('suggestions at the bottom of the smallest window at 200 % zoom', () => {
  it('open above the footer, and all of them can be reached', async () => {
    const { app, page } = await station()
    await resize(app, page, { width: 1024, height: 700, zoom: 2 })
    await page.getByLabel('Add customs data and a commercial invoice').click()
    const reason = page.getByRole('combobox', { name: 'Reason for export' })
    await reason.evaluate((field) => field.scrollIntoView({ block: 'end' }))
    await reason.click()
    const options = page.locator('[role="listbox"] [role="option"]')
    await options.first().waitFor()
    const footer = await page.locator('footer').boundingBox()
    for (const option of await options.all()) {
      await option.scrollIntoViewIfNeeded()
      const box = await option.boundingBox()
      expect(box === null || footer === null ? -1 : footer.y - (box.y + box.height)).toBeGreaterThanOrEqual(0)
      expect(box?.y).toBeGreaterThanOrEqual(0)
    }
  })
})
