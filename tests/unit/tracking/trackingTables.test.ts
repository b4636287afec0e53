import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTrackingTables, type TrackingTablesDeps } from '../../../src/main/tracking/trackingTables'
import { appError } from '../../../src/shared/errors'
import { err, ok } from '../../../src/shared/result'
import type { ColumnNames } from '../../../src/shared/tracking'
import { temporaryFolder } from '../../support/temporaryFolder'

const { TZ } = process.env
afterEach(() => {
  if (TZ === undefined) delete process.env.TZ
  else process.env.TZ = TZ
})

const names: ColumnNames = {
  ...{ code: 'Code', found: 'Found', statusCode: 'Status', description: 'Description', location: 'Place' },
  ...{ dateTime: 'When', events: 'Events', reference: 'Shipment', yes: 'Yes', no: 'No' },
}

function tablesWith(change: Partial<TrackingTablesDeps>) {
  const read = vi.fn<TrackingTablesDeps['tables']['read']>(async (name) =>
    ok({
      ...{ name, codes: [], duplicates: 0, empty: 0, tooLong: 0, tooMany: 0 },
      column: null,
      inexact: 0,
      cellErrors: 0,
    }),
  )
  const deps: TrackingTablesDeps = {
    tables: { read, makeTrackingTable: async () => new Uint8Array() },
    chooseTableFile: async () => null,
    saveFile: async () => ok(null),
    now: () => new Date('2026-11-21T23:30:00.000Z'),
    ...change,
  }
  return { tables: createTrackingTables(deps), read }
}

describe('tables of tracking codes', () => {
  it('are saved under a name with the day of the station’s time zone', async () => {
    process.env.TZ = 'Europe/Amsterdam'
    const suggested: string[] = []
    const { tables } = tablesWith({
      async saveFile(name) {
        suggested.push(name)
        return ok(null)
      },
    })
    expect(await tables.save([], names, 'csv')).toEqual({ ok: true, value: null })
    expect(suggested).toEqual(['tracking-2026-11-22.csv'])
  })

  it('are reported as not saved when their file cannot be written', async () => {
    const details = { path: '/media/stick/codes.csv', reason: 'ENOSPC' }
    const { tables } = tablesWith({ saveFile: async () => err(appError('file-not-saved', details)) })
    expect(await tables.save([], names, 'csv')).toEqual(err(appError('export-not-saved', details)))
  })

  it('are not read from a chosen file that is too large', async () => {
    const path = join(await temporaryFolder(), 'codes.csv')
    await writeFile(path, 'code\n')
    await truncate(path, 20 * 1024 * 1024 + 1)
    const { tables, read } = tablesWith({ chooseTableFile: async () => path })
    expect(await tables.choose()).toMatchObject({
      ok: false,
      error: {
        code: 'codes-file-invalid',
        details: { file: 'codes.csv', problem: 'it is larger than 20 MB' },
      },
    })
    expect(read).not.toHaveBeenCalled()
    await truncate(path, 20)
    expect(await tables.choose()).toMatchObject({ ok: true, value: { name: 'codes.csv' } })
  })
})
