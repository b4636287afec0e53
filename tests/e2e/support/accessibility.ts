import axe from 'axe-core'
import type { Page } from 'playwright'
import { expect } from 'vitest'
import { z } from 'zod'

const reportSchema = z.array(
  z.object({ id: z.string(), help: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
)

/** Waits until nothing moves or fades any more that comes to an end by itself. */
export async function animationsEnded(page: Page): Promise<void> {
  await page.evaluate(() => {
    const ending = document
      .getAnimations()
      .filter((each) => each.effect?.getComputedTiming().endTime !== Infinity)
    return Promise.allSettled(ending.map((each) => each.finished)).then(() => null)
  })
}

/** What axe finds wrong on the page as it is now, one line per rule and element. */
export async function axeFindings(page: Page): Promise<string[]> {
  // Colours of what fades in are not yet those that a person reads.
  await animationsEnded(page)
  // Evaluated through the debugger: the page's own policy would rightly refuse a script from elsewhere. Once for each page: parsing it
  // takes half as long as what it finds.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const violations = reportSchema.parse(
    await page.evaluate(
      'axe.run(document, { resultTypes: ["violations"] }).then((report) => report.violations)',
    ),
  )
  return violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${violation.help}: ${node.html.slice(0, 160)}`),
  )
}

/** Elements whose text or box does not fit on the screen, in words. */
export function clippedElements(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const controls = document.querySelectorAll<HTMLElement>(
      'button, input, select, textarea, h1, h2, [role="tab"]',
    )
    return [...controls].flatMap((element) => {
      const box = element.getBoundingClientRect()
      if (box.width === 0 || box.height === 0) return []
      const outside = box.left < -1 || box.right > window.innerWidth + 1
      const cut = element.tagName === 'BUTTON' && element.scrollWidth > element.clientWidth + 1
      const name = element.getAttribute('aria-label') ?? element.textContent ?? element.tagName
      return outside || cut ? [`${element.tagName.toLowerCase()} «${name.trim()}»`] : []
    })
  })
}

/** Expects that axe finds nothing on the page as it is now, and that nothing is clipped. */
export async function look(page: Page, what: string): Promise<void> {
  expect([what, await axeFindings(page)]).toEqual([what, []])
  expect([what, await clippedElements(page)]).toEqual([what, []])
}
