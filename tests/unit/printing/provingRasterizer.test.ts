import { describe, expect, it } from 'vitest'
import { type ProvedLabel, withBarcodeProofs } from '../../../src/main/printing/barcodes/barcodeProver'
import { toQuestion, toZplLayout } from '../../../src/main/printing/layout/labelLayout'
import type { ProveBarcodes } from '../../../src/shared/labels'
import { socketPrinterSchema } from '../../../src/shared/printing'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelWith, markedPdf } from '../../support/printing/labels'

const fine: ProvedLabel = { proof: { kind: 'proved', symbols: [] }, findings: [] }
const lost: ProvedLabel = {
  ...fine,
  findings: [{ kind: 'barcode-lost', page: 1, name: 'ITF', text: '123456' }],
}
const late: ProvedLabel = { proof: { kind: 'not-proved', reason: 'too-slow' }, findings: [] }

interface Wanted {
  id?: string
  dpi?: 203 | 300
  carrierOptionId?: number
  heightMm?: number
}

/** Prints labels, one after the other, of which the reader says one thing each. */
async function printWith(choice: ProveBarcodes, answers: ProvedLabel[], labels: Wanted[]) {
  const inline = createInlineRasterizer()
  let asked = 0
  const prove = async () => {
    asked += 1
    return answers[Math.min(asked, answers.length) - 1] ?? fine
  }
  const rasterizer = withBarcodeProofs(inline, { prove }, () => choice)
  const read: number[] = []
  const findings: unknown[] = []
  for (const { id = 'zebra', dpi = 203, carrierOptionId = 34, heightMm = 150 } of labels) {
    const printer = socketPrinterSchema.parse({ id, driver: 'socket', host: 'h', dpi })
    const bytes = await markedPdf(100, heightMm)
    const question = toQuestion({ label: labelWith({ bytes, carrierOptionId }), printer, rules: [] })
    const before = asked
    const drawn = await rasterizer.renderZpl(bytes, toZplLayout(printer, question))
    if (!drawn.ok) throw new Error(drawn.error.message)
    expect(drawn.value.barcodes).toEqual(
      asked > before ? answers[asked - 1] && answers[asked - 1]?.proof : undefined,
    )
    read.push(asked - before)
    findings.push(...drawn.value.findings)
  }
  return { read, findings }
}

describe('barcodes are read', () => {
  it('of every label when always is chosen, and of none when never is', async () => {
    const labels = [{}, {}, {}]
    expect((await printWith('always', [fine, fine, fine], labels)).read).toEqual([1, 1, 1])
    expect((await printWith('never', [], labels)).read).toEqual([0, 0, 0])
  })

  it('of the first label of each kind: carrier option, printer, its resolution, page size', async () => {
    const kinds = [{}, { carrierOptionId: 35 }, { id: 'other' }, { dpi: 300 as const }, { heightMm: 120 }]
    const answers = kinds.map(() => fine)
    const { read } = await printWith('first', answers, [...kinds, ...kinds])
    expect(read).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0, 0])
  })

  it('of the next label of a kind, too, when the first one lost something or was not read in time', async () => {
    const { read, findings } = await printWith('first', [lost, late, fine], [{}, {}, {}, {}])
    expect(read).toEqual([1, 1, 1, 0])
    expect(findings).toEqual(lost.findings)
  })

  it('of the first two labels of a kind at most, when they are not read in time', async () => {
    expect((await printWith('first', [late, late], [{}, {}, {}, {}])).read).toEqual([1, 1, 0, 0])
    expect((await printWith('always', [late, late, late], [{}, {}, {}])).read).toEqual([1, 1, 1])
  })
})
