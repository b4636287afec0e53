import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { toMissingStock, uprightStock } from '../../../src/main/printing/layout/labelLayout'
import { createLabelChoices } from '../../../src/main/printing/queue/labelChoices'
import { checkLosses, toConsents, withConsents } from '../../../src/main/printing/queue/labelConsents'
import { type LabelFinding, lossConsentSchema } from '../../../src/shared/labels'
import { socketPrinterSchema } from '../../../src/shared/printing'
import { ok } from '../../../src/shared/result'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelsInMemory, labelWith, markedPdf } from '../../support/printing/labels'
import { printingSettings } from '../../support/printing/printingSettings'
import { silentLog } from '../../support/silentLog'
import { firstJobs, startQueue } from './startQueue'

const rasterizer = createInlineRasterizer()
const zebra = socketPrinterSchema.parse({ id: 'zebra', name: 'Zebra', driver: 'socket', host: 'h' })
const key = { carrierOptionId: 34, printerId: 'zebra' }
const label = { reference: 'ORDER-1', carrierOptionId: 34 }
const font: LabelFinding = { kind: 'font-missing', page: 1, name: 'SimSun' }
const area = { xMm: 10, yMm: 160, widthMm: 40, heightMm: 5 }
const cut: LabelFinding = { kind: 'ink-cut', page: 1, areas: [area] }

const stockMissing = toMissingStock({ stock: { widthMm: 59, heightMm: 191 } }, ['101.6 x 152.4 mm'])

describe('a label that would lose content', () => {
  const basis = { label, printer: zebra, consents: [], agreed: [] }

  it('is held with an error that names the printer and the losses', () => {
    expect(checkLosses([], basis)).toEqual({ ok: true, value: undefined })
    const held = checkLosses([font, cut], basis)
    expect(held).toMatchObject({
      ok: false,
      error: { code: 'label-loses-content', findings: [font, cut], details: { printer: 'Zebra' } },
    })
    expect(!held.ok && held.error.message).toContain('page 1: the font SimSun is not in the PDF')
  })

  it('is printed once each loss is accepted for this job or for later labels of the printer', () => {
    expect(checkLosses([font], { ...basis, agreed: ['font-missing'] }).ok).toBe(true)
    expect(checkLosses([font, cut], { ...basis, agreed: ['font-missing'] })).toMatchObject({
      error: { findings: [cut] },
    })
    const consents = toConsents([font], key)
    expect(checkLosses([font], { ...basis, consents }).ok).toBe(true)
    expect(checkLosses([{ ...font, page: 2 }], { ...basis, consents }).ok).toBe(true)
  })

  it('is held again for another font, carrier option or printer, and for ink at another place', () => {
    const consents = toConsents([font, cut], key)
    const others: LabelFinding[] = [
      { ...font, name: 'IDAutomationHC39M' },
      { ...cut, areas: [area, { ...area, yMm: 200 }] },
    ]
    for (const finding of others) expect(checkLosses([finding], { ...basis, consents }).ok).toBe(false)
    expect(checkLosses([font], { ...basis, consents, label: { ...label, carrierOptionId: 35 } }).ok).toBe(
      false,
    )
    expect(checkLosses([font], { ...basis, consents, printer: { ...zebra, id: 'other' } }).ok).toBe(false)
    expect(checkLosses([{ ...cut, areas: [{ ...area, widthMm: 20 }] }], { ...basis, consents }).ok).toBe(true)
  })

  it('is held again when another page, or another part of the page, would print blank', () => {
    const blank: LabelFinding = {
      ...{ kind: 'page-blank', page: 2, areas: [{ xMm: 0, yMm: 0, widthMm: 100, heightMm: 150 }] },
    }
    const consents = toConsents([blank], key)
    expect(z.array(lossConsentSchema).parse(consents)).toEqual(consents)
    expect(checkLosses([blank], { ...basis, consents }).ok).toBe(true)
    const others: LabelFinding[] = [
      { ...blank, page: 1 },
      { ...blank, areas: [{ xMm: 105, yMm: 0, widthMm: 100, heightMm: 150 }] },
    ]
    for (const finding of others) expect(checkLosses([finding], { ...basis, consents }).ok).toBe(false)
    // A consent that was stored without a page.
    const before = [{ ...key, kind: 'page-blank' as const }]
    expect(checkLosses([blank], { ...basis, consents: before }).ok).toBe(false)
  })

  it('has each consent stored only once', () => {
    const once = withConsents([], toConsents([font, cut], key))
    expect(withConsents(once, toConsents([font], key))).toHaveLength(2)
  })
})

describe('a job whose label would lose content', () => {
  async function startHeld(finding = cut) {
    const pdf = await markedPdf(100, 150)
    const started = await startQueue(undefined, undefined, labelWith({ bytes: pdf }))
    const { queue, jobs, drivers, rules } = started
    const [job] = await firstJobs(jobs, started.label, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    const checked = drivers.arrivals[0]?.check([finding])
    if (checked?.ok !== false || job === undefined) throw new Error('the label was not stopped')
    drivers.arrivals[0]?.end({ kind: 'failed', error: checked.error, nothingPrinted: true })
    await vi.waitFor(() => expect(jobs.all()[0]?.state).toBe('waiting'))
    const choices = createLabelChoices({
      jobs,
      labels: labelsInMemory([started.label]),
      settings: printingSettings(() => ({ printers: [zebra], labelRules: rules })),
      getMargins: async () => undefined,
      getDpi: async () => 203,
      getStocks: async () => [],
      printPageElsewhere: queue.printPageElsewhere,
      save: ({ labelRules }) => {
        rules.losses = labelRules?.losses ?? rules.losses
        return ok(undefined)
      },
      rasterizer,
      releaseWaiting: () => queue.releaseWaiting(),
      releaseDespite: (jobId, losses) => queue.releaseDespite(jobId, losses),
    })
    return { ...started, job, choices }
  }

  it('waits for the operator, is not moved to the standby, and shows the page with its losses', async () => {
    const logged = vi.spyOn(silentLog, 'warn')
    const { jobs, job, choices } = await startHeld()
    expect(logged).toHaveBeenCalledWith(
      'a label would lose content; its job waits for a person to decide',
      expect.objectContaining({
        jobId: job.id,
        losses: expect.stringContaining('page 1: some content lies outside'),
      }),
    )
    expect(jobs.all()).toHaveLength(1)
    expect(await choices.askLosses(job.id)).toMatchObject({
      value: {
        printerName: 'Zebra',
        findings: [cut],
        pages: [{ page: 1, picture: { width: 400, height: 600 } }],
        adjustablePage: 1,
      },
    })
  })

  it.each(['barcode-lost', 'barcode-differs'] as const)(
    'offers a change of the placement when it waits for %s and its page has a placement rule',
    async (kind) => {
      const { choices, job, rules, label: held } = await startHeld({ kind, page: 1, name: 'ITF', text: '12' })
      expect(await choices.askLosses(job.id)).toMatchObject({ value: { adjustablePage: null } })
      const page = { widthMm: 100, heightMm: 150 }
      rules.placements = [
        {
          ...{ carrierOptionId: held.carrierOptionId, page, stock: uprightStock(zebra), turn: 0, scale: 0.5 },
          areas: [{ xMm: 0, yMm: 0, ...page }],
        },
      ]
      expect(await choices.askLosses(job.id)).toMatchObject({ value: { adjustablePage: 1 } })
    },
  )

  it('is printed when the loss is accepted once, and the next label is held again', async () => {
    const { job, choices, drivers, rules, label: held, queue, jobs } = await startHeld()
    expect(await choices.printDespiteLosses(job.id, false)).toEqual(ok(undefined))
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    expect(drivers.arrivals[1]?.check([cut]).ok).toBe(true)
    expect(drivers.arrivals[1]?.check([font]).ok).toBe(false)
    expect(rules.losses).toEqual([])
    drivers.arrivals[1]?.end({ kind: 'handed-over' })
    await firstJobs(jobs, held, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(3))
    expect(drivers.arrivals[2]?.check([cut]).ok).toBe(false)
    expect(await choices.printDespiteLosses(job.id, false)).toMatchObject({
      error: { code: 'print-job-not-open' },
    })
  })

  it.each(['zebra', 'cups'])(
    'moves to the standby when its printer lacks the stock, and waits without a standby: from %s',
    async (printerId) => {
      const { queue, jobs, drivers, label: held } = await startQueue()
      await firstJobs(jobs, held, [printerId])
      queue.wake()
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
      const checked = drivers.arrivals[0]?.check([stockMissing])
      const hasStandby = printerId === 'zebra'
      expect(checked).toMatchObject({
        error: { code: hasStandby ? 'stock-not-supported' : 'label-loses-content' },
      })
      if (checked?.ok !== false) return
      drivers.arrivals[0]?.end({ kind: 'failed', error: checked.error, nothingPrinted: true })
      await vi.waitFor(() => expect(jobs.all()[0]?.state).toBe(hasStandby ? 'cancelled' : 'waiting'))
      expect(jobs.all().map((job) => job.printerId)).toEqual(hasStandby ? ['zebra', 'cups'] : ['cups'])
    },
  )

  it('needs one consent for each size of missing stock', () => {
    const consents = toConsents([stockMissing], key)
    const basis = { label, printer: zebra, consents, agreed: [] }
    expect(checkLosses([{ ...stockMissing, text: 'other sizes' }], basis).ok).toBe(true)
    expect(checkLosses([{ ...stockMissing, name: '105 x 148 mm' }], basis).ok).toBe(false)
  })

  it('is printed, and later labels are not held, when the loss is accepted for later labels', async () => {
    const { job, choices, drivers, label: held, queue, jobs } = await startHeld()
    await choices.printDespiteLosses(job.id, true)
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    drivers.arrivals[1]?.end({ kind: 'handed-over' })
    await firstJobs(jobs, held, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(3))
    expect(drivers.arrivals[2]?.check([cut]).ok).toBe(true)
  })
})
