import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { toCsv } from '../support/manifests/lines'
import { inApp, maxTask, watchTasks } from './appWindow'
import { type Figure, inFolder, quantile, round, simulatorProcess } from './bench'

const number = '074-12345675'
const scrolledFrames = 300
/** About one notch of a mouse wheel; sixty per second is fast scrolling. */
const wheelPixels = 100

/** The responsiveness of the window with a manifest of `lines` lines: its longest tasks, and its frame times while scrolling. */
export async function* measureScreen(lines: number): AsyncGenerator<Figure> {
  const simulator = await simulatorProcess()
  try {
    yield* await inFolder(async (folder) => {
      const file = join(folder, 'lines.csv')
      await writeFile(file, toCsv(lines))
      return inApp(folder, simulator.baseUrl, ({ page }) => measurePage(page, file, lines))
    })
  } finally {
    simulator.stop()
  }
}

async function measurePage(page: Page, file: string, lines: number): Promise<Figure[]> {
  await page.keyboard.press('Control+5')
  await page.getByLabel('Air waybill number').fill(number)
  await page.getByRole('button', { name: 'Open air waybill' }).click()
  await page.getByRole('grid').waitFor()
  await watchTasks(page)
  const figures: Figure[] = []
  const note = async (name: string) =>
    figures.push({
      name: `longest task in the window: ${name}`,
      value: round(await maxTask(page)),
      unit: 'ms',
      atMost: 50,
    })

  await page.locator('input[type="file"]').first().setInputFiles(file)
  await page.getByRole('button', { name: 'Import', exact: true }).waitFor()
  await note(`${lines} lines read, the dialog opened`)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.locator(`[role="grid"][aria-rowcount="${lines + 2}"]`).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await note('the lines taken and checked')

  const idle = await page.evaluate(frames, { count: scrolledFrames, pixels: 0 })
  const wheel = await page.evaluate(frames, { count: scrolledFrames, pixels: wheelPixels })
  const whole = await page.evaluate(frames, { count: scrolledFrames, pixels: 'all' as const })
  await note('scrolling')
  figures.push(scrolled('by the wheel', wheel, idle))
  figures.push(scrolled(`through all ${lines} lines in ${scrolledFrames} frames`, whole, idle))

  await page.getByRole('tab', { name: 'Checks' }).click()
  await page.getByRole('tab', { name: 'Send' }).click()
  await page.getByRole('button', { name: 'Send the manifest' }).click()
  await page.locator('[data-testid="upload"][data-state="accepted"]').waitFor()
  await note('checks opened, manifest sent')
  return figures
}

function scrolled(how: string, gaps: readonly number[], idle: readonly number[]): Figure {
  return {
    name: `time of a frame, scrolling ${how}`,
    ...{ value: round(1000 / rate(gaps)), unit: 'ms', atMost: 1.05 },
    reference: { name: 'the window idle', value: 1000 / rate(idle) },
    note: `${rate(gaps)} frames a second; p95 ${round(quantile(gaps, 0.95))} ms against ${round(quantile(idle, 0.95))} ms`,
  }
}

/** Frames per second. */
function rate(gaps: readonly number[]): number {
  return round(1000 / (gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length))
}

/** The milliseconds between frames while the grid scrolls by `pixels` per frame, or to its end. Runs in the window. */
async function frames({ count, pixels }: { count: number; pixels: number | 'all' }): Promise<number[]> {
  const grid = document.querySelector('[role="grid"]')
  if (grid === null) throw new Error('There is no grid.')
  const step = pixels === 'all' ? (grid.scrollHeight - grid.clientHeight) / count : pixels
  const gaps: number[] = []
  grid.scrollTop = 0
  let last = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
  while (gaps.length < count) {
    grid.scrollTop += step
    const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
    gaps.push(now - last)
    last = now
  }
  return gaps
}
