import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ManifestRepository } from '../../../src/main/consignments/repository'
import { countClosedOpenWork } from '../../../src/main/storage/databaseChecks'
import { closeDatabase } from '../../../src/main/storage/openDatabase'
import { nodeDatabaseProcess } from '../../support/databaseProcess'
import { openTestDatabase } from '../../support/databaseWorker'
import { temporaryFolder } from '../../support/temporaryFolder'

it('an upload and a pre-alert that were being sent when the app ended count as open work of a closed database', async () => {
  const path = join(await temporaryFolder(), 'packbench.db')
  const database = await openTestDatabase(path)
  if (!database.ok) throw new Error(database.error.message)
  const manifests = new ManifestRepository(database.value)
  const at = new Date('2026-11-22T12:00:00Z')
  const airWaybillNumber = '074-12345675'
  await manifests.addManifest('manifest-1', airWaybillNumber, at)
  const submission = { manifestId: 'manifest-1', operator: null }
  const totals = { lines: 1, packages: 1, parcels: 1, parcelWeight: 1, prices: [] }
  await manifests.beginUpload({
    ...{ ...submission, id: 'upload-1', startedAt: at, lockAsked: false, sha256: 'x', totals },
  })
  const request = { airWaybillNumber, estimatedTimeOfArrival: '2026-12-24', grossWeight: 1 }
  await manifests.beginPreAlert({
    ...{ ...submission, id: 'pre-alert-1', request, fileName: 'awb.pdf', byteLength: 1, sentAt: at },
  })
  await closeDatabase(database.value)
  const run = await nodeDatabaseProcess()
  expect(await countClosedOpenWork(run, path, path, new AbortController().signal)).toMatchObject({
    ...{ kind: 'counted', creating: 0, printing: 0, unknown: 2 },
  })
})
