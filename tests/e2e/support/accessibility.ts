import axe from 'axe-core'
import type { Page } from 'playwright'

/** What axe finds wrong with the page as it stands: the rule, and the places it is broken. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const checker: unknown = Reflect.get(window, 'axe')
    if (typeof checker !== 'object' || checker === null) return ['axe did not load']
    const run: unknown = Reflect.get(checker, 'run')
    if (typeof run !== 'function') return ['axe can not run']
    const { violations } = await run.call(checker, document)
    return violations.map(
      ({ id, nodes }: { id: string; nodes: { target: unknown[]; failureSummary: string }[] }) =>
        `${id}: ${nodes.map((node) => `${node.target.join(' ')} (${node.failureSummary})`).join('; ')}`,
    )
  })
}
