import axe from 'axe-core'
import type { Page } from 'playwright'
import { expect } from 'vitest'
import { z } from 'zod'

const reportSchema = z.array(
  z.object({ id: z.string(), help: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
)

/** Waits until all animations with an end have ended. */
async function animationsEnded(page: Page): Promise<void> {
  await page.evaluate(() => {
    const ending = document
      .getAnimations()
      .filter((each) => each.effect?.getComputedTiming().endTime !== Infinity)
    return Promise.allSettled(ending.map((each) => each.finished)).then(() => null)
  })
}

/** The violations that axe reports on the current page, one line per rule and element. */
export async function axeFindings(page: Page): Promise<string[]> {
  // While an element fades in, its colours are not final.
  await animationsEnded(page)
  // Evaluated through the debugger, because the page's content security policy refuses foreign scripts. Evaluated once per page,
  // because parsing axe takes half as long as one run of it.
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

/** Describes the controls and headings that stick out of the window, and buttons whose text is cut. */
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

/** Expects that axe reports no violation on the current page, and that nothing is clipped. */
export async function look(page: Page, what: string): Promise<void> {
  expect([what, await axeFindings(page)]).toEqual([what, []])
  expect([what, await clippedElements(page)]).toEqual([what, []])
}
