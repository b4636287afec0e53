import { describe, expect, it, vi } from 'vitest'
import { checkLosses, toConsents } from '../../../src/main/printing/queue/labelConsents'
import { findZplSize } from '../../../src/main/printing/raster/carrierZpl'
import { printerSchema } from '../../../src/shared/printing'
import { labelWith } from '../../support/printing/labels'
import { firstJobs, startQueue } from './startQueue'

const printer = (fields: object = {}) =>
  printerSchema.parse({ id: 'zebra', driver: 'socket', host: 'h', ...fields })
const zebra = printer()
const found = (zpl: string, on = zebra) => findZplSize({ kind: 'zpl', bytes: Buffer.from(zpl, 'latin1') }, on)
/** A ZPL label of 1181 x 1772 dots, which is 100 x 150 mm at 300 dpi. */
const fine = '^XA^PW1181^LL1772^FO60,90^A0N,40^FDConsignee^FS^FO120,1500^BCN,200^FD3STEST^FS^XZ'

describe('the size check of a ZPL label', () => {
  it.each([
    ['for the stock', '^XA^PW800^LL1200^FO20,20^FDa^FS^FO20,1100^BCN,80^FDa^FS^XZ'],
    ['of 4 x 6 inches on stock of 100 x 150 mm', '^XA^PW812^LL1218^FO0,0^GB812,1218,4^FS^XZ'],
    ['that states nothing', '^XA^FO20,20^FDa^FS^XZ'],
    ['that is smaller than the stock', '^XA^PW400^LL200^FO20,20^FDa^FS^XZ'],
    ['that states only a smaller width', '^XA^PW600^FO20,20^FDa^FS^XZ'],
    ['in millimetres', '^XA^MUM^PW2000^LL3000^FO900,20^FDa^FS^XZ'],
    ['that converts dots itself', '^XA^MUD,300,600^PW1181^FO900,20^FDa^FS^XZ'],
    ['with a picture as wide as the stock', `^XA^FO0,0^GFA,4,120000,100,${'0'.repeat(8)}^FS^XZ`],
    ['with numbers that are text', '^XA^FO20,20^FDPW1181 FO2000,2000^FS^XZ'],
  ])('accepts a label %s', (_, zpl) => {
    expect(found(zpl)).toEqual([])
  })

  it.each([
    ['for 300 dpi', fine],
    ['for 300 dpi that states only its width', '^XA^PW1181^FO60,90^FDa^FS^XZ'],
    ['for 300 dpi that states nothing', '^XA^FO60,90^FDa^FS^FO120,1500^BCN,200^FD3STEST^FS^XZ'],
    ['with fields past the edge of the stock', '^XA^LH400,0^FO500,90^FDa^FS^XZ'],
    ['with a picture wider than the stock', `^XA^FO0,0^GFA,4,30000,150,${'0'.repeat(8)}^FS^XZ`],
    ['with a box longer than the stock', '^XA^FO0,20^GB700,1500,3^FS^XZ'],
    ['whose dots are doubled', '^XA^JMB^FO300,700^FDa^FS^XZ'],
    ['with other prefixes', '^XA^CC+^FO20,20+PW1181+LL1772+FO60,90+FDa+FS+XZ'],
  ])('reports a label %s', (_, zpl) => {
    expect(found(zpl)).toMatchObject([{ kind: 'zpl-size', page: 1 }])
  })

  it('reports a label that would print too small, with its stated size', () => {
    const coarse = '^XA^PW800^LL1200^FO20,20^FDa^FS^XZ'
    expect(found(coarse, printer({ dpi: 300 }))).toEqual([
      { kind: 'zpl-size', page: 1, name: '800 x 1200 > 1181 x 1772' },
    ])
    expect(found(fine, printer({ dpi: 300 }))).toEqual([])
  })

  it.each([
    printer({ stockTracking: 'continuous' }),
    printerSchema.parse({
      ...{ id: 'usb', driver: 'system', queue: 'Q', language: 'zpl', dpi: 203, stockTracking: 'continuous' },
    }),
  ])(
    'accepts any length on continuous stock of a $driver printer, and reports a label that is too wide',
    (endless) => {
      expect(found('^XA^PW800^LL1600^FO20,1500^GB700,90,3^FS^XZ', endless)).toEqual([])
      expect(found('^XA^FO20,20^FDa^FS^FO20,2400^FDb^FS^XZ', endless)).toEqual([])
      expect(found('^XA^PW900^LL1600^FO20,20^FDa^FS^XZ', endless)).toMatchObject([{ kind: 'zpl-size' }])
      expect(found('^XA^LH400,0^FO500,90^FDa^FS^XZ', endless)).toMatchObject([{ kind: 'zpl-size' }])
    },
  )

  it('does not hold later labels once their size is accepted, but holds those of other sizes', () => {
    const [slightly] = found('^XA^FO20,20^GB820,100,3^FS^XZ')
    const [far] = found('^XA^FO20,20^GB1980,2980,3^FS^XZ')
    if (slightly === undefined || far === undefined) throw new Error('no findings')
    expect(slightly).toMatchObject({ name: '840 x ? > 800 x 1200' })
    const key = { carrierOptionId: 34, printerId: 'zebra' }
    const basis = {
      ...{ label: { reference: 'ORDER-1', carrierOptionId: 34 }, printer: zebra, agreed: [] },
      consents: toConsents([slightly], key),
    }
    expect(checkLosses([slightly], basis).ok).toBe(true)
    expect(checkLosses(found('^XA^FO20,20^GB820,700,3^FS^XZ'), basis).ok).toBe(true)
    expect(checkLosses([far], basis).ok).toBe(false)
    // A consent that was stored without a size.
    const consents = [{ ...key, kind: 'zpl-size' as const }]
    expect(checkLosses([far], { ...basis, consents }).ok).toBe(false)
  })

  it('names the number of a label among several, and reports nothing when the resolution is unknown', () => {
    expect(found(`^XA^FO20,20^FDa^FS^XZ${fine}`)).toMatchObject([{ page: 2 }])
    const system = printerSchema.parse({ id: 'q', driver: 'system', queue: 'RAW' })
    expect(found(fine, system)).toEqual([])
    expect(found(fine, printerSchema.parse({ ...system, dpi: 203 }))).toHaveLength(1)
    expect(findZplSize({ kind: 'zpl', bytes: Buffer.from(fine) }, system, 203)).toHaveLength(1)
    expect(found(fine, printerSchema.parse({ id: 'f', driver: 'folder', path: 'out' }))).toEqual([])
  })

  it.each([
    ['^XA^PW2700^LL3600^FO20,20^FDa^FS^XZ', '2700 x 3600 > 2400 x 3600'],
    ['^XA^PW2400^LL4000^FO20,20^FDa^FS^XZ', '2400 x 4000 > 2400 x 3600'],
    ['^XA^FO20,20^GB2000,4200,3^FS^XZ', '? x 4220 > 2400 x 3600'],
  ])(
    'reports a label that is too large for every print head when the resolution is unknown: %s',
    (zpl, name) => {
      const system = printerSchema.parse({ id: 'q', driver: 'system', queue: 'RAW' })
      expect(found(zpl, system)).toEqual([{ kind: 'zpl-size', page: 1, name }])
    },
  )

  it('makes a job for another resolution wait for the operator before anything is sent', async () => {
    const label = labelWith({ kind: 'zpl', bytes: Buffer.from(fine) })
    const { queue, jobs, drivers } = await startQueue(undefined, undefined, label)
    const [job] = await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(jobs.all()[0]?.state).toBe('waiting'))
    expect(jobs.all()[0]).toMatchObject({
      error: { code: 'label-loses-content', findings: [{ kind: 'zpl-size' }] },
    })
    expect(drivers.arrivals).toEqual([])
    await queue.releaseDespite(job?.id ?? '', ['zpl-size'])
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
  })
})
