import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestVerdictRepository } from '../../../src/main/printing/queue/repository'
import { listTestVerdicts, noteTestVerdict } from '../../../src/main/printing/queue/testVerdicts'
import { printerSchema } from '../../../src/shared/printing'
import { openTestDatabase } from '../../support/databaseWorker'
import { temporaryFolder } from '../../support/temporaryFolder'

const zebra = printerSchema.parse({ driver: 'socket', id: 'zebra', host: '192.0.2.10' })
const a6 = { widthMm: 105, heightMm: 148 }

async function station() {
  const opened = await openTestDatabase(join(await temporaryFolder(), 'packbench.db'))
  if (!opened.ok) throw new Error(opened.error.message)
  const database = opened.value
  onTestFinished(() => database.destroy())
  let printers = [zebra]
  const deps = {
    printers: () => printers,
    testVerdicts: createTestVerdictRepository(database),
    currentOperator: () => 'Anna',
    now: () => new Date('2026-11-22T10:00:00.000Z'),
  }
  return {
    deps,
    setUp: (...next: (typeof zebra)[]) => {
      printers = next
    },
  }
}

describe('the verdict on a test label', () => {
  it('is kept with who gave it, and replaced by the next', async () => {
    const { deps } = await station()
    await noteTestVerdict('zebra', 'nothing', deps)
    const noted = await noteTestVerdict('zebra', 'right', deps)
    const said = {
      ...{ printerId: 'zebra', verdict: 'right', operator: 'Anna' },
      ...{ notedAt: '2026-11-22T10:00:00.000Z', isCurrent: true },
    }
    expect(noted).toEqual({ ok: true, value: [said] })
    expect(await listTestVerdicts(deps)).toEqual([said])
  })

  it('no longer holds for a printer that is set up otherwise, but for one with another name', async () => {
    const { deps, setUp } = await station()
    await noteTestVerdict('zebra', 'right', deps)
    setUp({ ...zebra, name: 'Bench 1' })
    expect(await listTestVerdicts(deps)).toMatchObject([{ isCurrent: true }])
    setUp(printerSchema.parse({ ...zebra, stock: a6 }))
    expect(await listTestVerdicts(deps)).toMatchObject([{ isCurrent: false }])
    setUp()
    expect(await listTestVerdicts(deps)).toEqual([])
  })

  it('is refused for a printer that the station does not have', async () => {
    const { deps } = await station()
    expect(await noteTestVerdict('other', 'right', deps)).toMatchObject({
      error: { code: 'printer-not-found' },
    })
  })
})
