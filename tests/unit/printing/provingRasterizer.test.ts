import { describe, expect, it } from 'vitest'
import { type ProvedLabel, withBarcodeProofs } from '../../../src/main/printing/barcodes/barcodeProver'
import { toPlacementRequest, toStockLayout, toZplLayout } from '../../../src/main/printing/layout/labelLayout'
import type { ProveBarcodes } from '../../../src/shared/labels'
import { socketPrinterSchema, systemPrinterSchema } from '../../../src/shared/printing'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelWith, markedPdf } from '../../support/printing/labels'

const fine: ProvedLabel = { proof: { kind: 'proved', symbols: [] }, findings: [] }
const lost: ProvedLabel = {
  ...fine,
  findings: [{ kind: 'barcode-lost', page: 1, name: 'ITF', text: '123456' }],
}
const late: ProvedLabel = { proof: { kind: 'not-proved', reason: 'too-slow' }, findings: [] }

interface LabelFields {
  id?: string
  dpi?: 203 | 300
  carrierOptionId?: number
  heightMm?: number
}

/** Draws labels one after the other. The barcode reader gives one of the answers for each label that it reads. */
async function printWith(choice: ProveBarcodes, answers: ProvedLabel[], labels: LabelFields[]) {
  const inline = createInlineRasterizer()
  let calls = 0
  const prove = async () => {
    calls += 1
    return answers[Math.min(calls, answers.length) - 1] ?? fine
  }
  const rasterizer = withBarcodeProofs(inline, { prove }, () => choice)
  const read: number[] = []
  const findings: unknown[] = []
  for (const { id = 'zebra', dpi = 203, carrierOptionId = 34, heightMm = 150 } of labels) {
    const printer = socketPrinterSchema.parse({ id, driver: 'socket', host: 'h', dpi })
    const bytes = await markedPdf(100, heightMm)
    const question = toPlacementRequest({ label: labelWith({ bytes, carrierOptionId }), printer, rules: [] })
    const before = calls
    const drawn = await rasterizer.renderZpl(bytes, toZplLayout(printer, question))
    if (!drawn.ok) throw new Error(drawn.error.message)
    expect(drawn.value.barcodes).toEqual(
      calls > before ? answers[calls - 1] && answers[calls - 1]?.proof : undefined,
    )
    read.push(calls - before)
    findings.push(...drawn.value.findings)
  }
  return { read, findings }
}

describe('withBarcodeProofs', () => {
  it('reads the barcodes of every label with «always», and of none with «never»', async () => {
    const labels = [{}, {}, {}]
    expect((await printWith('always', [fine, fine, fine], labels)).read).toEqual([1, 1, 1])
    expect((await printWith('never', [], labels)).read).toEqual([0, 0, 0])
  })

  it('reads the barcodes of the first label of each carrier option, printer, resolution and page size', async () => {
    const kinds = [{}, { carrierOptionId: 35 }, { id: 'other' }, { dpi: 300 as const }, { heightMm: 120 }]
    const answers = kinds.map(() => fine)
    const { read } = await printWith('first', answers, [...kinds, ...kinds])
    expect(read).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0, 0])
  })

  it('reads the barcodes of the next label of a kind as well when one lost a barcode or was not read in time', async () => {
    const { read, findings } = await printWith('first', [lost, late, fine], [{}, {}, {}, {}])
    expect(read).toEqual([1, 1, 1, 0])
    expect(findings).toEqual(lost.findings)
  })

  it('reads the barcodes of at most two labels of a kind with «first» when they are not read in time', async () => {
    expect((await printWith('first', [late, late], [{}, {}, {}, {}])).read).toEqual([1, 1, 0, 0])
    expect((await printWith('always', [late, late, late], [{}, {}, {}])).read).toEqual([1, 1, 1])
  })
})

describe('withBarcodeProofs for a printer that accepts PDF', () => {
  /** Lays labels on A6 stock of one queue. The barcode reader gives one of the answers for each label that it reads. */
  async function lay(answers: ProvedLabel[], labels: { dotsPerMm?: number; heightMm?: number }[]) {
    let calls = 0
    const prove = async () => {
      calls += 1
      return answers[calls - 1] ?? fine
    }
    const rasterizer = withBarcodeProofs(createInlineRasterizer(), { prove }, () => 'first')
    const read: number[] = []
    const laid: unknown[] = []
    for (const { dotsPerMm, heightMm = 148 } of labels) {
      const printer = systemPrinterSchema.parse({
        ...{ id: 'q', driver: 'system', queue: 'Q', stock: { widthMm: 105, heightMm: 148 } },
      })
      const bytes = await markedPdf(105, heightMm)
      const layout = toStockLayout({ label: labelWith({ bytes }), printer, rules: [] })
      const before = calls
      const answer = await rasterizer.layOnStock(bytes, { ...layout, dotsPerMm })
      if (!answer.ok) throw new Error(answer.error.message)
      read.push(calls - before)
      laid.push(answer.value)
    }
    return { read, laid }
  }

  it('reads the barcodes of the first label of each size and resolution, and of none with unknown resolution', async () => {
    const labels = [
      { dotsPerMm: 8 },
      { dotsPerMm: 8 },
      { dotsPerMm: 8, heightMm: 120 },
      { dotsPerMm: 12 },
      {},
    ]
    const { read, laid } = await lay([lost, fine, fine, fine], labels)
    expect(read).toEqual([1, 1, 1, 1, 0])
    expect(laid[0]).toMatchObject({ findings: lost.findings, barcodes: lost.proof })
    expect(laid[4]).not.toHaveProperty('barcodes')
  })

  it('does not read pages with more than 20 million dots, because that takes too long', async () => {
    expect((await lay([], [{ dotsPerMm: 47 }])).read).toEqual([0])
  })
})
