import { describe, expect, it } from 'vitest'
import type { ImportPreview, ManifestDetails } from '../../../src/shared/consignments'
import { type AppError, appError } from '../../../src/shared/errors'
import { err, ok, type Result } from '../../../src/shared/result'
import { deferred } from '../../support/deferred'
import { createFakeBridge } from '../../support/fakeBridge'
import { openWindow } from './openWindow'

function getPage(id: string, change: Partial<ManifestDetails> = {}): ManifestDetails {
  return {
    id,
    airWaybillNumber: id,
    createdAt: '2026-11-21T09:00:00.000Z',
    changedAt: '2026-11-21T09:00:00.000Z',
    lines: 1,
    state: 'draft',
    lock: 'open',
    unknownUpload: false,
    unknownPreAlert: false,
    summary: {
      revision: 1,
      lines: 1,
      errors: 0,
      advice: 0,
      totals: { lines: 1, packages: 1, parcels: 1, parcelWeight: 1, prices: [] },
      canUndo: false,
      canRedo: false,
    },
    uploads: [],
    preAlerts: [],
    ...change,
  }
}

const preview: ImportPreview = {
  importId: 'import-1',
  fileName: 'lines.csv',
  kind: 'csv',
  encoding: 'UTF-8',
  header: [],
  lines: 2,
  sample: [],
  mapping: {},
  remembered: false,
  notes: { numericCells: [], cellErrors: 0, emptyFormulas: 0, mergedCells: 0, unevenLines: 0 },
}

/** A station with the air waybills A and B, of which A is open. */
async function makeStores() {
  const fake = createFakeBridge()
  const { bridge } = fake
  bridge.getManifest = async ({ manifestId }) => ok(getPage(manifestId))
  bridge.listManifests = async () => ok([])
  const { manifests, grid } = openWindow(fake)
  await manifests.getState().open('A')
  return { bridge, manifests, grid }
}

describe('what ends after another air waybill was opened', () => {
  it('an upload does not take the place of the page that is open', async () => {
    const { bridge, manifests, grid } = await makeStores()
    const sent = deferred<Result<ManifestDetails, AppError>>()
    bridge.uploadManifest = () => sent.promise
    const uploading = manifests.getState().upload({})
    await manifests.getState().open('B')
    grid.getState().type('being typed')
    sent.resolve(ok(getPage('A', { state: 'uploaded' })))
    await uploading
    expect(manifests.getState().page?.id).toBe('B')
    expect(grid.getState()).toMatchObject({ manifestId: 'B', typing: 'being typed' })
  })

  it('an upload does not open its page again after it was left', async () => {
    const { bridge, manifests } = await makeStores()
    const sent = deferred<Result<ManifestDetails, AppError>>()
    bridge.uploadManifest = () => sent.promise
    const uploading = manifests.getState().upload({})
    manifests.getState().close()
    sent.resolve(ok(getPage('A', { state: 'uploaded' })))
    await uploading
    expect(manifests.getState().page).toBeNull()
  })

  it('a failure is not shown on the page of another', async () => {
    const { bridge, manifests } = await makeStores()
    const sent = deferred<Result<ManifestDetails, AppError>>()
    bridge.uploadManifest = () => sent.promise
    const uploading = manifests.getState().upload({})
    await manifests.getState().open('B')
    sent.resolve(err(appError('manifest-has-errors')))
    await uploading
    expect(manifests.getState().error).toBeNull()
  })

  it('a file that was read for one is not imported into the other', async () => {
    const { bridge, manifests } = await makeStores()
    const read = deferred<Result<ImportPreview, AppError>>()
    const dropped: string[] = []
    bridge.readManifestFile = () => read.promise
    bridge.dropManifestFile = async ({ importId }) => {
      dropped.push(importId)
      return ok(undefined)
    }
    const reading = manifests.getState().readFile(new File(['a;b'], 'lines.csv'))
    await manifests.getState().open('B')
    read.resolve(ok(preview))
    await reading
    expect(manifests.getState().importing).toBeNull()
    expect(dropped).toEqual(['import-1'])
  })
})

describe('an air waybill that is removed', () => {
  it('gives way to the list', async () => {
    const { bridge, manifests } = await makeStores()
    bridge.removeManifest = async () => ok(undefined)
    await manifests.getState().remove()
    expect(manifests.getState().page).toBeNull()
  })

  it('stays, with the reason, when it can’t be removed', async () => {
    const { bridge, manifests } = await makeStores()
    bridge.removeManifest = async () => err(appError('manifest-uploaded'))
    await manifests.getState().remove()
    expect(manifests.getState()).toMatchObject({ page: { id: 'A' }, error: { code: 'manifest-uploaded' } })
  })
})
