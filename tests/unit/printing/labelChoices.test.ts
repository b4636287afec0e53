import { describe, expect, it } from 'vitest'
import { createLabelChoices } from '../../../src/main/printing/labelChoices'
import type { PrintableLabel } from '../../../src/main/printing/ports'
import { type Printer, printerSchema } from '../../../src/shared/printing'
import { ok } from '../../../src/shared/result'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelsInMemory, labelWith, markedPdf } from '../../support/printing/labels'

const rasterizer = createInlineRasterizer()
const zebra = printerSchema.parse({ id: 'zebra', name: 'Zebra', driver: 'socket', host: 'localhost' })
const folder = printerSchema.parse({ id: 'file', driver: 'folder', path: 'out' })

function choicesFor(label: PrintableLabel, printers: Printer[] = [zebra, folder]) {
  return createLabelChoices({
    jobs: { find: async () => undefined },
    labels: labelsInMemory([label]),
    printers: () => printers,
    routing: () => (printers.length === 0 ? [] : [{ printer: 'zebra' }]),
    labelRules: () => ({ placements: [], zplCommands: [], losses: [] }),
    saveLabelRules: () => ok(undefined),
    rasterizer,
    releaseWaiting: async () => undefined,
  })
}

describe('a preview', () => {
  it('shows the dots of the usual printer, and the pages of a folder', async () => {
    const label = labelWith({ bytes: await markedPdf(100, 150, undefined, 2) })
    const choices = choicesFor(label)
    expect(await choices.preview(label.labelId)).toMatchObject({
      ok: true,
      value: {
        labelId: label.labelId,
        printerName: 'Zebra',
        dpi: 203,
        pictures: [
          { width: 800, height: 1200 },
          { width: 800, height: 1200 },
        ],
        text: null,
        problem: null,
      },
    })
    expect(await choices.preview(label.labelId, 'file')).toMatchObject({
      value: { printerName: 'file', pictures: [{}, {}], problem: null },
    })
  })

  it('shows the pages of a label that the printer can’t take as it is, and says why', async () => {
    const label = labelWith({ bytes: await markedPdf(210, 297) })
    expect(await choicesFor(label).preview(label.labelId)).toMatchObject({
      value: {
        printerName: '',
        pictures: [{ width: 1680, height: 2376 }],
        problem: { code: 'label-needs-placement' },
      },
    })
    expect(await choicesFor(label, []).preview(label.labelId)).toMatchObject({
      value: { printerName: '', pictures: [{ width: 1680 }], problem: { code: 'no-printer' } },
    })
  })

  it('shows nothing of pages that are too large together', async () => {
    const label = labelWith({ bytes: await markedPdf(600, 900, undefined, 6) })
    expect(await choicesFor(label).preview(label.labelId)).toMatchObject({
      value: { pictures: [], problem: { code: 'label-needs-placement' } },
    })
  })

  it('shows the text of ZPL, and says what has no picture', async () => {
    const zpl = labelWith({ kind: 'zpl', bytes: Buffer.from('^XA^FDé^XZ') })
    const text = { text: '^XA^FDé^XZ', pictures: [] }
    expect(await choicesFor(zpl).preview(zpl.labelId)).toMatchObject({ value: { ...text, problem: null } })
    expect(await choicesFor(zpl, []).preview(zpl.labelId)).toMatchObject({ value: text })
    const other = labelWith({ kind: 'other', bytes: Buffer.from('GIF89a') })
    expect(await choicesFor(other).preview(other.labelId)).toMatchObject({
      value: { pictures: [], problem: { code: 'label-type-unknown' } },
    })
    const damaged = labelWith({ bytes: Buffer.from('%PDF-1.4 ?') })
    expect(await choicesFor(damaged).preview(damaged.labelId)).toMatchObject({
      value: { pictures: [], problem: { code: 'label-unreadable' } },
    })
    expect(await choicesFor(damaged).preview('another')).toMatchObject({ error: { code: 'label-not-found' } })
  })
})
