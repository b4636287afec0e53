import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createTestVerdictRepository } from '../../../src/main/printing/queue/printerRepository'
import { printTestLabel } from '../../../src/main/printing/queue/testLabel'
import { printerSchema } from '../../../src/shared/printing'
import { openTestDatabase } from '../../support/databaseWorker'
import { printingSettings } from '../../support/printing/printingSettings'
import { temporaryFolder } from '../../support/temporaryFolder'
import { startQueue } from './startQueue'

const zebra = printerSchema.parse({ driver: 'socket', id: 'zebra', host: '192.0.2.10' })
const a6 = { widthMm: 105, heightMm: 148 }

async function createVerdicts() {
  const opened = await openTestDatabase(join(await temporaryFolder(), 'packbench.db'))
  if (!opened.ok) throw new Error(opened.error.message)
  const database = opened.value
  onTestFinished(() => database.destroy())
  let printers = [zebra]
  const verdicts = createTestVerdictRepository({
    database,
    settings: printingSettings(() => ({ printers })),
    currentOperator: () => 'Anna',
    now: () => new Date('2026-11-22T10:00:00.000Z'),
  })
  return {
    verdicts,
    setUp: (...next: (typeof zebra)[]) => {
      printers = next
    },
  }
}

describe('the verdict on a test label', () => {
  it('is stored with the operator, and replaced by the next verdict', async () => {
    const { verdicts } = await createVerdicts()
    await verdicts.note('zebra', 'nothing')
    const noted = await verdicts.note('zebra', 'right')
    const said = {
      ...{ printerId: 'zebra', verdict: 'right', operator: 'Anna' },
      ...{ notedAt: '2026-11-22T10:00:00.000Z', isCurrent: true },
    }
    expect(noted).toEqual({ ok: true, value: [said] })
    expect(await verdicts.list()).toEqual([said])
  })

  it('is outdated after the printer’s settings change, but not after its name changes', async () => {
    const { verdicts, setUp } = await createVerdicts()
    await verdicts.note('zebra', 'right')
    setUp({ ...zebra, name: 'Bench 1' })
    expect(await verdicts.list()).toMatchObject([{ isCurrent: true }])
    setUp(printerSchema.parse({ ...zebra, stock: a6 }))
    expect(await verdicts.list()).toMatchObject([{ isCurrent: false }])
    setUp()
    expect(await verdicts.list()).toEqual([])
  })

  it('is outdated when the settings changed between the test label and the verdict', async () => {
    const { verdicts, setUp } = await createVerdicts()
    const { queue, drivers } = await startQueue()
    const deps = {
      settings: printingSettings(() => ({ printers: [zebra] })),
      drivers,
      queue,
      onPrinted: verdicts.noteTestLabel,
    }
    const answer = printTestLabel('zebra', deps)
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    setUp(printerSchema.parse({ ...zebra, stock: a6 }))
    drivers.arrivals[0]?.end({ kind: 'handed-over' })
    expect(await answer).toMatchObject({ value: { code: 'taken' } })
    expect(await verdicts.note('zebra', 'right')).toMatchObject({ value: [{ isCurrent: false }] })
    setUp(zebra)
    expect(await verdicts.list()).toMatchObject([{ isCurrent: true }])
  })

  it('is refused for a printer that the station does not have', async () => {
    const { verdicts } = await createVerdicts()
    expect(await verdicts.note('other', 'right')).toMatchObject({
      error: { code: 'printer-not-found' },
    })
  })
})
