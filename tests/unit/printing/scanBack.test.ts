import { describe, expect, it } from 'vitest'
import { confirmScan, matchesBarcode, skipScan } from '../../../src/main/printing/queue/scanBack'
import type { DismissalReason } from '../../../src/shared/printerRemarks'
import { listUnscanned } from '../../../src/shared/printing'
import { labelsInMemory, labelWith } from '../../support/printing/labels'
import { createMemoryJobs } from '../../support/printing/memoryJobs'
import { sampleJob } from '../../support/screenSamples'
import { firstJobs } from './startQueue'

describe('matchesBarcode', () => {
  it.each([
    ['3STEST1', '3STEST1', undefined, true],
    [' 3s test1\u001d', '3STEST1', undefined, true],
    ['3STEST2', '3STEST1', undefined, false],
    ['', '', undefined, false],
    ['%0011CV3STEST1', '3STEST1', { kind: 'prefix', prefix: '%0011CV' }, true],
    ['3STEST1', '3STEST1', { kind: 'prefix', prefix: '%' }, false],
    ['3STEST1-528', '3STEST1-NL', { kind: 'length', length: 7 }, true],
    ['3STEST', '3STEST1', { kind: 'length', length: 7 }, false],
    ['%001CV3STEST1528', '3STEST1', { kind: 'part', least: 6 }, true],
    ['3ST', '3STEST1', { kind: 'part', least: 6 }, false],
  ] as const)('compares the code %j with the barcode %j by the rule %o: %s', (code, barcode, rule, right) => {
    expect(matchesBarcode(code, barcode, rule)).toBe(right)
  })
})

describe('confirmScan', () => {
  it('sets only the printed jobs of the scanned label to done', async () => {
    const shipmentId = crypto.randomUUID()
    const [one, two] = ['3SONE', '3STWO'].map((barcode) =>
      labelWith({ shipmentId, barcode, bytes: Buffer.from('') }),
    )
    if (one === undefined || two === undefined) throw new Error('no labels')
    const jobs = createMemoryJobs()
    const [first, other, queued] = [
      ...(await firstJobs(jobs, one, ['zebra'])),
      ...(await firstJobs(jobs, two, ['zebra'])),
      ...(await firstJobs(jobs, one, ['cups'])),
    ]
    await jobs.change(first?.id ?? '', ['queued'], { state: 'handed-over' })
    await jobs.change(other?.id ?? '', ['queued'], { state: 'handed-over' })
    const options = {
      jobs,
      labels: labelsInMemory([one, two]),
      settings: () => ({ on: true, rules: [] }),
      now: () => new Date('2026-03-01T08:00:00Z'),
    }
    expect(await confirmScan({ shipmentId, code: '3SNONE' }, options)).toMatchObject({
      value: { matches: false, expected: ['3SONE', '3STWO'], matching: [], jobs: [] },
    })
    expect(await confirmScan({ shipmentId, code: '3SONE' }, options)).toMatchObject({
      value: { matches: true, matching: ['3SONE'] },
    })
    expect(jobs.all().map(({ id, state, scannedAt }) => [id, state, scannedAt])).toEqual([
      [first?.id, 'done', '2026-03-01T08:00:00.000Z'],
      [other?.id, 'handed-over', undefined],
      [queued?.id, 'queued', undefined],
    ])
  })

  /** Two printed labels that the rule can't tell apart. */
  async function alikeLabels() {
    const shipmentId = crypto.randomUUID()
    const labels = ['3SONE-1', '3SONE-2'].map((barcode) =>
      labelWith({ shipmentId, barcode, bytes: Buffer.from('') }),
    )
    const jobs = createMemoryJobs()
    for (const label of labels) {
      const [job] = await firstJobs(jobs, label, ['zebra'])
      await jobs.change(job?.id ?? '', ['queued'], { state: 'handed-over' })
    }
    const match = { kind: 'length', length: 5 } as const
    const rules = labels.map(({ carrierOptionId }) => ({ carrierOptionId, match }))
    const options = {
      jobs,
      labels: labelsInMemory(labels),
      settings: () => ({ rules }),
      now: () => new Date(),
    }
    return { shipmentId, labels, jobs, options }
  }

  it('names each barcode that the rule can’t tell apart, and confirms one label', async () => {
    const { shipmentId, labels, options } = await alikeLabels()
    expect(await confirmScan({ shipmentId, code: '3SONE' }, options)).toMatchObject({
      value: { matches: true, matching: ['3SONE-1', '3SONE-2'], jobs: [{ labelId: labels[0]?.labelId }] },
    })
    expect(await confirmScan({ shipmentId, code: '3SONE-2' }, options)).toMatchObject({
      value: { matches: true, matching: ['3SONE-2'], jobs: [{ labelId: labels[1]?.labelId }] },
    })
  })

  it('confirms another label with each scan of a code that the rule can’t tell apart', async () => {
    const { shipmentId, jobs, options } = await alikeLabels()
    const scanned: unknown[] = []
    for (let scans = 1; scans <= 3; scans += 1) {
      const confirmed = await confirmScan({ shipmentId, code: '3SONE' }, options)
      const states = jobs.all().map(({ state }) => state)
      scanned.push([confirmed.ok ? confirmed.value.matching : confirmed.error, states])
    }
    expect(scanned).toEqual([
      [
        ['3SONE-1', '3SONE-2'],
        ['done', 'handed-over'],
      ],
      [
        ['3SONE-2', '3SONE-1'],
        ['done', 'done'],
      ],
      [
        ['3SONE-1', '3SONE-2'],
        ['done', 'done'],
      ],
    ])
  })

  it('leaves an unconfirmed label open that the rule can’t tell from another one', async () => {
    const { shipmentId, jobs, options } = await alikeLabels()
    for (const { id } of jobs.all()) await jobs.change(id, ['handed-over'], { state: 'unconfirmed' })
    expect(await confirmScan({ shipmentId, code: '3SONE' }, options)).toMatchObject({
      value: { matches: true, jobs: [] },
    })
    expect(jobs.all()).toMatchObject([{ state: 'unconfirmed' }, { state: 'unconfirmed' }])
  })

  it('leaves an unconfirmed part of a label open, because the barcode may be on another part', async () => {
    const label = labelWith({ barcode: '3SONE', bytes: Buffer.from('') })
    const jobs = createMemoryJobs()
    const added = await jobs.add(
      [1, 2].map((page) => ({
        ...{ id: crypto.randomUUID(), shipmentId: label.shipmentId, labelId: label.labelId },
        ...{ printerId: 'zebra', printerName: 'zebra', kind: 'first', pages: { from: page, to: page } },
      })),
    )
    await jobs.change(added[0]?.id ?? '', ['queued'], { state: 'handed-over' })
    await jobs.change(added[1]?.id ?? '', ['queued'], { state: 'unconfirmed' })
    const options = {
      ...{ jobs, labels: labelsInMemory([label]), now: () => new Date('2026-03-01T08:00:00Z') },
      settings: () => ({ on: true, rules: [] }),
    }
    expect(await confirmScan({ shipmentId: label.shipmentId, code: '3SONE' }, options)).toMatchObject({
      value: { matches: true, jobs: [{ id: added[0]?.id }] },
    })
    expect(jobs.all().map(({ state }) => state)).toEqual(['done', 'unconfirmed'])
  })
})

it('stores with the jobs of a shipment why its label was not scanned', async () => {
  const label = labelWith({ barcode: '3SONE', bytes: Buffer.from('') })
  const jobs = createMemoryJobs()
  const [job] = await firstJobs(jobs, label, ['zebra'])
  await skipScan({ shipmentId: label.shipmentId, reason: 'Barcode can’t be read' }, { jobs })
  expect(jobs.all()).toMatchObject([{ id: job?.id, state: 'queued', scanSkipped: 'Barcode can’t be read' }])
})

it('stores nothing with a label that was scanned when the scan of another one is skipped', async () => {
  const shipmentId = crypto.randomUUID()
  const [one, two] = ['3SONE', '3STWO'].map((barcode) =>
    labelWith({ shipmentId, barcode, bytes: Buffer.from('') }),
  )
  if (one === undefined || two === undefined) throw new Error('no labels')
  const jobs = createMemoryJobs()
  const [scanned] = await firstJobs(jobs, one, ['zebra'])
  await firstJobs(jobs, two, ['zebra'])
  await jobs.change(scanned?.id ?? '', ['queued'], { state: 'done', scannedAt: new Date() })
  await skipScan({ shipmentId, reason: 'Barcode can’t be read' }, { jobs })
  expect(jobs.all().map(({ scanSkipped }) => scanSkipped)).toEqual([undefined, 'Barcode can’t be read'])
})

it('stores why a label was not scanned when its job changes its state meanwhile', async () => {
  const label = labelWith({ barcode: '3SONE', bytes: Buffer.from('') })
  const jobs = createMemoryJobs()
  const [job] = await firstJobs(jobs, label, ['zebra'])
  const listByShipment = async (shipmentId: string) => {
    const listed = await jobs.listByShipment(shipmentId)
    await jobs.change(job?.id ?? '', ['queued'], { state: 'sending' })
    return listed
  }
  const scan = { shipmentId: label.shipmentId, reason: 'Barcode can’t be read' }
  await skipScan(scan, { jobs: { ...jobs, listByShipment } })
  expect(jobs.all()).toMatchObject([{ state: 'sending', scanSkipped: 'Barcode can’t be read' }])
})

it('expects no scan of a label that a person closed as not printed, unless it was printed elsewhere', () => {
  const barcodes = ['3SONE', '3STWO']
  const listWith = (second: Parameters<typeof sampleJob>[0]) =>
    listUnscanned(barcodes, [sampleJob({ barcode: '3SONE' }), sampleJob({ barcode: '3STWO', ...second })])
  const closedAs = (reason: DismissalReason) => ({
    state: 'cancelled' as const,
    note: { code: 'dismissed' as const, says: [], reason },
  })
  expect(listWith({ state: 'failed' })).toEqual(barcodes)
  expect(listWith({ state: 'cancelled' })).toEqual(['3SONE'])
  expect(listWith(closedAs('not-needed'))).toEqual(['3SONE'])
  expect(listWith(closedAs('printed-elsewhere'))).toEqual(barcodes)
  expect(listUnscanned(barcodes, [sampleJob({ barcode: '3SONE', state: 'cancelled' })])).toEqual(barcodes)
})
