import { appError } from '../../../shared/errors'
import type { LossQuestion } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import { consentsFor, withConsents } from '../layout/labelLoss'
import { ruleFor, uprightStock } from '../layout/placements'
import type { Rasterizer } from '../raster/rasterizer'
import type { JobActions } from './jobActions'
import { findLabelOfJob, type LabelChoicesDeps } from './labelChoices'
import { nameOfPrinter } from './routing'

/** Fine enough to see what would be lost. */
const pictureDotsPerMm = 4

/** What a person is asked about a label that would lose something in print. */
export interface LossChoices {
  /** @returns `print-job-not-found`, or `print-job-not-open` for a job that waits for no such choice */
  askLosses(jobId: string): Promise<Result<LossQuestion>>
  /**
   * Prints the label all the same.
   * @param remember also later labels of its carrier option on its printer that lose the same
   */
  printDespiteLosses(jobId: string, remember: boolean): Promise<Result<undefined>>
}

/** What these choices work with. */
export interface LossChoicesDeps
  extends Pick<LabelChoicesDeps, 'jobs' | 'labels' | 'printers' | 'labelRules' | 'saveLabelRules'> {
  rasterizer: Pick<Rasterizer, 'measure' | 'renderGrey'>
  releaseWaiting: JobActions['releaseWaiting']
  releaseDespite: JobActions['releaseDespite']
}

/** Makes the choices; they keep no state of their own. */
export function createLossChoices(deps: LossChoicesDeps): LossChoices {
  async function findHeldLabel(jobId: string) {
    const found = await findLabelOfJob(jobId, deps)
    if (!found.ok) return found
    const { state, error } = found.value.job
    const findings = state === 'waiting' && error?.code === 'label-loses-content' ? error.findings : undefined
    return findings === undefined ? err(noChoiceNeeded(state)) : ok({ ...found.value, findings })
  }

  return {
    async askLosses(jobId) {
      const held = await findHeldLabel(jobId)
      if (!held.ok) return held
      const { findings, label, printer } = held.value
      const numbers = [...new Set(findings.map(({ page }) => page))].sort((one, other) => one - other)
      const sizes = label.kind === 'pdf' ? await deps.rasterizer.measure(label.bytes) : ok([])
      const pages: LossQuestion['pages'] = []
      for (const page of numbers) {
        const size = sizes.ok ? sizes.value[page - 1] : undefined
        if (size === undefined) continue
        const drawn = await deps.rasterizer.renderGrey(label.bytes, pictureDotsPerMm, page - 1)
        const picture = drawn.ok ? drawn.value[0] : undefined
        if (picture === undefined) continue
        const { width, height, pixels } = picture
        const shown = { widthMm: size.widthMm, heightMm: size.heightMm }
        pages.push({ page, size: shown, picture: { width, height, pixels: pixels.buffer } })
      }
      const adjustable = findings.find(({ kind, page }) => {
        const size = sizes.ok ? sizes.value[page - 1] : undefined
        if (size === undefined || printer.driver === 'folder') return false
        if (kind === 'ink-cut') return true
        // Without a rule a page is printed whole and in size: no other placement makes its barcodes better.
        const { placements } = deps.labelRules()
        return (
          (kind === 'barcode-lost' || kind === 'barcode-differs') &&
          ruleFor(placements, label.carrierOptionId, size, uprightStock(printer)) !== undefined
        )
      })
      return ok({
        jobId,
        printerName: nameOfPrinter(printer),
        findings,
        pages,
        adjustablePage: adjustable?.page ?? null,
      })
    },

    async printDespiteLosses(jobId, remember) {
      const held = await findHeldLabel(jobId)
      if (!held.ok) return held
      const { findings, label, printer } = held.value
      if (remember) {
        const rules = deps.labelRules()
        const key = { carrierOptionId: label.carrierOptionId, printerId: printer.id }
        const losses = withConsents(rules.losses, consentsFor(findings, key))
        const saved = deps.saveLabelRules({ ...rules, losses })
        if (!saved.ok) return saved
      }
      // Also when it is remembered: settings can be changed before the job's turn comes.
      const released = await deps.releaseDespite(jobId, [...new Set(findings.map(({ kind }) => kind))])
      if (!released.ok) return released
      if (remember) await deps.releaseWaiting()
      return ok(undefined)
    },
  }
}

function noChoiceNeeded(state: string) {
  return appError('print-job-not-open', { case: 'no-choice', state })
}
