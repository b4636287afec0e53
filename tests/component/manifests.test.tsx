import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import type { ReactNode } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { useSettings } from '../../src/renderer/bridge'
import { ManifestsScreen } from '../../src/renderer/features/manifests/Screen'
import { useScanner } from '../../src/renderer/features/scanner/useScanner'
import {
  type ImportPreview,
  type ManifestDetails,
  preAlertAnswerSchema,
  preAlertSchema,
  toPosition,
  type Upload,
  uploadSchema,
} from '../../src/shared/consignments'
import { type AppError, appError } from '../../src/shared/errors'
import { err, ok, type Result } from '../../src/shared/result'
import { deferred } from '../support/deferred'
import { createFakeBridge } from '../support/fakeBridge'
import { aLine } from '../support/manifests/lines'
import { sampleOf } from '../support/sampleOf'
import { sampleShipment } from '../support/screenSamples'
import { pressAt } from './pressAt'
import { renderApp } from './renderApp'
import { giveRoom } from './roomForRows'

const ids = {
  A: '5f3c1c52-58a5-4a0e-9d7e-3a1d3b1c0001',
  B: '5f3c1c52-58a5-4a0e-9d7e-3a1d3b1c0002',
}

function getPage(id: string, change: Partial<ManifestDetails> = {}): ManifestDetails {
  return {
    id,
    airWaybillNumber: id === ids.A ? 'A' : 'B',
    createdAt: '2026-11-21T09:00:00.000Z',
    changedAt: '2026-11-21T09:00:00.000Z',
    lines: 1,
    state: 'draft',
    hasUnsentLines: false,
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
      saveError: null,
    },
    uploads: [],
    preAlerts: [],
    ...change,
  }
}

const preview: ImportPreview = {
  importId: '5f3c1c52-58a5-4a0e-9d7e-3a1d3b1c0003',
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

function WithScanner({ children }: { children: ReactNode }) {
  useScanner()
  // A scan is read by the settings.
  return useSettings() === undefined ? null : children
}

/**
 * A station with the air waybills A and B; A is open.
 * @param hasScanner only in a test of a scan: the keys of the others come as fast as those of one
 */
async function renderManifests(hasScanner = false) {
  giveRoom(600)
  const fake = createFakeBridge()
  const { bridge } = fake
  const sent = deferred<Result<ManifestDetails, AppError>>()
  bridge.getManifest = async ({ manifestId }) => ok(getPage(manifestId))
  bridge.listManifests = async () => ok([getPage(ids.A), getPage(ids.B)])
  bridge.uploadManifest = () => sent.promise
  const manifests = <ManifestsScreen settings={fake.state.settings} />
  const rendered = renderApp(hasScanner ? <WithScanner>{manifests}</WithScanner> : manifests, fake)
  const { user } = rendered
  const open = async (number: 'A' | 'B') => {
    await user.click(await screen.findByRole('button', { name: new RegExp(`^${number}`) }))
    await screen.findByRole('heading', { level: 1, name: number })
  }
  const close = () => user.click(screen.getByRole('button', { name: 'All air waybills' }))
  const upload = async () => {
    await user.click(screen.getByRole('tab', { name: 'Send' }))
    await user.click(screen.getByRole('button', { name: 'Send the manifest' }))
  }
  const answer = (result: Result<ManifestDetails, AppError>) => act(async () => sent.resolve(result))
  await open('A')
  return { ...rendered, bridge, open, close, upload, answer }
}

const title = () => screen.getByRole('heading', { level: 1 }).textContent

/** The lines of air waybill A, of 1000 equal lines, and the edits that the grid sends. */
async function renderLines(hasScanner = false) {
  const rendered = await renderManifests(hasScanner)
  const { bridge, fake, open, close } = rendered
  giveRoom(600, 33_000)
  const page = getPage(ids.A)
  const totals = { ...page.summary.totals, lines: 1000 }
  const summary = { ...page.summary, lines: 1000, totals }
  bridge.getManifest = async () => ok({ ...page, lines: 1000, summary })
  bridge.editManifestLines = async () => ok(summary)
  bridge.readManifestLines = async ({ from, count }) =>
    ok({ revision: 1, from, rows: Array.from({ length: count }, () => aLine({ name: 'Zoë' })), issues: [] })
  await close()
  await open('A')
  const column = toPosition('name')
  const findCell = (row: number) =>
    document.querySelector(`[aria-rowindex="${row + 2}"] [aria-colindex="${column + 2}"]`)
  const getCell = (row: number) => findCell(row) ?? expect.fail('the cell is not rendered')
  await waitFor(() => expect(findCell(1)?.textContent).toBe('Zoë'))
  const edits = () =>
    fake.calls.flatMap(({ method, input }) => (method === 'editManifestLines' ? [input] : []))
  return { ...rendered, findCell, getCell, column, edits, grid: screen.getByRole('grid') }
}

describe('a call that ends after another air waybill was opened', () => {
  it('does not replace the open page with that of the upload', async () => {
    const { user, open, close, upload, answer } = await renderManifests()
    await upload()
    await close()
    await open('B')
    screen.getByRole('grid').focus()
    await user.keyboard('being typed')
    await answer(ok(getPage(ids.A, { state: 'uploaded' })))
    expect(title()).toBe('B')
    expect(screen.getByDisplayValue('being typed')).toBeDefined()
    await close()
    await open('A')
    expect(title()).toBe('A')
  })

  it('does not open the page of the upload again', async () => {
    const { close, upload, answer } = await renderManifests()
    await upload()
    await close()
    await answer(ok(getPage(ids.A, { state: 'uploaded' })))
    expect(title()).toBe('Manifests')
  })

  it('does not show its error on the page of another air waybill', async () => {
    const { open, close, upload, answer } = await renderManifests()
    await upload()
    await close()
    await open('B')
    await answer(err(appError('manifest-has-errors')))
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('shows its error on its own page, on every tab', async () => {
    const { user, upload, answer } = await renderManifests()
    await upload()
    await user.click(screen.getByRole('tab', { name: /^Lines/ }))
    await answer(err(appError('manifest-has-errors')))
    expect(await screen.findByRole('alert')).toBeDefined()
  })

  it('does not import its file into the other air waybill', async () => {
    const { user, bridge, fake, open, close } = await renderManifests()
    const read = deferred<Result<ImportPreview, AppError>>()
    bridge.readManifestFile = () => read.promise
    await user.upload(screen.getByLabelText('Import file'), new File(['a;b'], 'lines.csv'))
    await close()
    await open('B')
    await act(async () => read.resolve(ok(preview)))
    const dropped = () => fake.calls.filter(({ method }) => method === 'dropManifestFile')
    await waitFor(() => expect(dropped()).toMatchObject([{ input: { importId: preview.importId } }]))
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})

it('an import says of each column of codes how many cells the spreadsheet stores as numbers', async () => {
  const { user, bridge } = await renderManifests()
  const notes = { ...preview.notes, numericCells: [2, 1, 2, 2] }
  const mapping = { parcelId: 0, zipcode: 1, phone: 2 }
  bridge.readManifestFile = async () => ok({ ...preview, header: ['p', 'z', 't', 'x'], mapping, notes })
  await user.upload(screen.getByLabelText('Import file'), new File(['a;b'], 'lines.csv'))
  const dialog = await screen.findByRole('dialog')
  expect(within(dialog).getByText(/^Parcel: 2 cells are numbers/)).toBeDefined()
  expect(within(dialog).getByText(/^Postal code: 1 cell is a number/)).toBeDefined()
  expect(within(dialog).getAllByText(/(is a number|are numbers) in the file/)).toHaveLength(2)
})

describe('an import that runs', () => {
  /** Starts the import of a file into A, which ends when the test says so. */
  async function importing() {
    const rendered = await renderManifests()
    const { user, bridge } = rendered
    const taken = deferred<Awaited<ReturnType<typeof bridge.takeManifestFile>>>()
    const importIds = [preview.importId, '5f3c1c52-58a5-4a0e-9d7e-3a1d3b1c0004'] as const
    bridge.readManifestFile = async ({ fileName }) =>
      ok({ ...preview, fileName, importId: importIds[fileName === 'lines.csv' ? 0 : 1] })
    bridge.takeManifestFile = () => taken.promise
    await user.upload(screen.getByLabelText('Import file'), new File(['a;b'], 'lines.csv'))
    await user.click(await screen.findByRole('button', { name: 'Import' }))
    const end = () => act(async () => taken.resolve(ok(getPage(ids.A).summary)))
    return { ...rendered, end }
  }

  it('can’t be closed before its end', async () => {
    const { user, fake, end } = await importing()
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    await user.keyboard('{Escape}')
    expect(screen.getByRole('dialog', { name: /lines\.csv/ })).toBeDefined()
    expect(fake.calls.filter(({ method }) => method === 'dropManifestFile')).toEqual([])
    await end()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('does not close the dialog of another file that was chosen after the page was left', async () => {
    const { user, open, end } = await importing()
    fireEvent.click(screen.getByRole('button', { name: 'All air waybills', hidden: true }))
    await open('A')
    await user.upload(screen.getByLabelText('Import file'), new File(['a;b'], 'others.csv'))
    await screen.findByRole('dialog', { name: /others\.csv/ })
    await end()
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Cancel' })).toHaveProperty('disabled', false),
    )
    expect(screen.getByRole('dialog', { name: /others\.csv/ })).toBeDefined()
  })
})

it('a scan into a cell that was scrolled out of view is written to it completely', async () => {
  const { user, findCell, getCell, grid, column, edits, fake } = await renderLines()
  fireEvent.mouseDown(getCell(2))
  act(() => grid.focus())
  grid.scrollTop = 20_000
  fireEvent.scroll(grid)
  await waitFor(() => expect(findCell(620)).not.toBeNull())
  await user.keyboard('3SABC123{Enter}')
  const values = [['3SABC123']]
  await waitFor(() =>
    expect(edits()).toEqual([{ manifestId: ids.A, edit: { kind: 'put', row: 2, column, values } }]),
  )
  const reads = fake.calls.flatMap(({ method, input }) => (method === 'readManifestLines' ? [input] : []))
  // The lines between the cell and the view are not fetched.
  expect(reads).not.toContainEqual(expect.objectContaining({ from: 300 }))
})

it.each(['PBBADGEB-001', 'PBCMDPAUSE'])(
  'a scan of %s leaves the cell with the cursor as it was',
  async (code) => {
    const { user, getCell, grid, edits } = await renderLines(true)
    fireEvent.mouseDown(getCell(1))
    act(() => grid.focus())
    for (const [index, key] of [...code, 'Enter'].entries()) pressAt(key, 5 * index)
    expect(document.activeElement).toBe(grid)
    expect(getCell(1).textContent).toBe('Zoë')
    await user.click(screen.getByRole('tab', { name: 'Send' }))
    expect(edits()).toEqual([])
  },
)

it('a click into the text of an open cell places the cursor, and the editor stays open', async () => {
  const { user, getCell, column, edits } = await renderLines()
  await user.dblClick(getCell(1))
  const input = await screen.findByDisplayValue('Zoë')
  await user.click(input)
  await user.keyboard(' A')
  await user.dblClick(screen.getByDisplayValue('Zoë A'))
  await user.keyboard('{End}B{Enter}')
  const values = [['Zoë AB']]
  await waitFor(() =>
    expect(edits()).toEqual([{ manifestId: ids.A, edit: { kind: 'put', row: 1, column, values } }]),
  )
})

it('copying the selected lines copies what they are after a change, also those out of view', async () => {
  const { user, bridge, open, close } = await renderManifests()
  await close()
  let summary = { ...getPage(ids.B).summary, lines: 250 }
  bridge.getManifest = async () => ok(getPage(ids.B, { lines: 250, summary }))
  bridge.readManifestLines = async ({ from, count }) => {
    const line = aLine({ parcelId: `R${summary.revision}` })
    return ok({ revision: summary.revision, from, rows: Array(count).fill(line), issues: [] })
  }
  bridge.editManifestLines = async () => {
    summary = { ...summary, revision: 2 }
    return ok(summary)
  }
  await open('B')
  const grid = screen.getByRole('grid')
  grid.focus()
  await user.keyboard('{Control>}a{/Control}')
  const copy = () => {
    const setData = vi.fn()
    fireEvent.copy(grid, { clipboardData: { setData } })
    return [setData.mock.calls[0]?.[1]].flatMap((text) => String(text).match(/R\d/g) ?? [])
  }
  await waitFor(() => expect(copy()).toEqual(Array(250).fill('R1')))
  await user.keyboard('{Control>}d{/Control}')
  await waitFor(() => expect(copy()).toEqual(Array(250).fill('R2')))
})

it('an air waybill without lines is reported as such, and not as ready to be sent', async () => {
  const { user, bridge, open, close } = await renderManifests()
  const checks = () => user.click(screen.getByRole('tab', { name: 'Checks' }))
  await checks()
  await screen.findByText(/the manifest can be sent/)
  await close()
  const { summary } = getPage(ids.B)
  bridge.getManifest = async () => ok(getPage(ids.B, { lines: 0, summary: { ...summary, lines: 0 } }))
  await open('B')
  await checks()
  await screen.findByText(/^No lines yet/)
  expect(screen.queryByText(/can be sent/)).toBeNull()
})

describe('an accepted manifest', () => {
  const upload = (id: string, state: Upload['state']): Upload => ({
    ...uploadSchema.parse(sampleOf(uploadSchema)),
    ...{ id, state },
  })
  const accepted = upload('1', 'accepted')
  const sendButton = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Send the manifest' })
  const confirmation = () => screen.findByRole('checkbox', { name: 'Send all lines once more' })

  it('is sent again only with a confirmation, also after a refused upload', async () => {
    const { user, bridge, fake, open, close } = await renderManifests()
    await close()
    bridge.getManifest = async () => ok(getPage(ids.B, { uploads: [upload('2', 'refused'), accepted] }))
    await open('B')
    await user.click(screen.getByRole('tab', { name: 'Send' }))
    expect(sendButton().disabled).toBe(true)
    await user.click(await confirmation())
    await user.click(sendButton())
    expect(fake.calls.find(({ method }) => method === 'uploadManifest')?.input).toEqual({
      manifestId: ids.B,
      again: true,
    })
  })

  it('asks for the confirmation also if the window was loaded during its upload', async () => {
    const { user, bridge, emit, open, close } = await renderManifests()
    await close()
    bridge.getManifest = async () => ok(getPage(ids.B, { uploads: [upload('1', 'sending')] }))
    await open('B')
    await user.click(screen.getByRole('tab', { name: 'Send' }))
    const page = getPage(ids.B, { state: 'uploaded', uploads: [accepted] })
    bridge.getManifest = async () => ok(page)
    emit('manifestChanged', page)
    await confirmation()
    expect(sendButton().disabled).toBe(true)
  })
})

it('an uploaded manifest whose lines were changed since is shown as such in the list, on its page and before it or its pre-alert is sent', async () => {
  const { user, bridge, emit, open, close } = await renderManifests()
  const upload: Upload = { ...uploadSchema.parse(sampleOf(uploadSchema)), state: 'accepted', lines: 3 }
  const summary = { ...getPage(ids.B).summary, lines: 4 }
  const page = getPage(ids.B, { lines: 4, summary, state: 'uploaded', uploads: [upload] })
  const { uploads: _, preAlerts: __, summary: ___, ...listed } = page
  bridge.listManifests = async () => ok([listed])
  bridge.getManifest = async () => ok(page)
  await close()
  await open('B')
  expect(screen.getByText('Uploaded')).toBeDefined()
  emit('manifestChanged', { ...listed, hasUnsentLines: true })
  expect(await screen.findByText('Changed since the upload')).toBeDefined()
  expect(screen.queryByText('Uploaded')).toBeNull()
  const sentence = /changed since the upload \(sent: 3, now: 4\)/
  for (const tab of ['Send', 'Pre-alert']) {
    await user.click(screen.getByRole('tab', { name: tab }))
    expect(await screen.findByText(sentence)).toBeDefined()
  }
  bridge.listManifests = async () => ok([{ ...listed, hasUnsentLines: true }])
  await close()
  expect(await screen.findByText('Changed since the upload')).toBeDefined()
})

it('parcels that were cancelled at the carrier after they were added are named among the checks and before the manifest is sent', async () => {
  const { user, bridge } = await renderManifests()
  bridge.listCancelledParcels = async () => ok(['3S1', '3S2'])
  for (const tab of [/^Checks/, 'Send']) {
    await user.click(screen.getByRole('tab', { name: tab }))
    expect(await screen.findByText(/^2 parcels of this manifest were cancelled.*: 3S1, 3S2\./)).toBeDefined()
  }
  bridge.listCancelledParcels = async () => ok(Array.from({ length: 11 }, (_, index) => `3S${index}`))
  await user.click(screen.getByRole('tab', { name: /^Checks/ }))
  expect(await screen.findByText(/^11 parcels.*3S9 …\./)).toBeDefined()
})

it('lines of cancelled parcels are to be removed unless the manifest is locked', async () => {
  const { user, bridge, open, close } = await renderManifests()
  bridge.listCancelledParcels = async () => ok(['3S1'])
  await user.click(screen.getByRole('tab', { name: 'Send' }))
  expect(await screen.findByText(/: 3S1\. Remove its lines\.$/)).toBeDefined()
  await close()
  bridge.getManifest = async () => ok(getPage(ids.B, { state: 'locked', lock: 'locked' }))
  await open('B')
  await user.click(screen.getByRole('tab', { name: 'Send' }))
  expect(await screen.findByText(/: 3S1\.$/)).toBeDefined()
})

it('the numbers of lines sent and changed since are written with separators, as far as this station knows them', async () => {
  const { user, bridge, open, close } = await renderManifests()
  await close()
  const upload: Upload = { ...uploadSchema.parse(sampleOf(uploadSchema)), state: 'accepted', lines: 150_000 }
  bridge.getManifest = async () =>
    ok(getPage(ids.B, { state: 'uploaded', uploads: [upload], hasUnsentLines: true }))
  await open('B')
  await user.click(screen.getByRole('tab', { name: 'Send' }))
  expect(await screen.findByText(/\(sent: 150,000, now: 1\)\. As far as this station knows/)).toBeDefined()
})

it('a pre-alert is compared with the lock that was asked for before it, not afterwards', async () => {
  const { user, bridge, open, close } = await renderManifests()
  const accepted = { ...uploadSchema.parse(sampleOf(uploadSchema)), state: 'accepted' as const }
  const uploads = [
    { ...accepted, id: '2', lockAsked: true, sentNumber: 3 },
    { ...accepted, id: '1', lockAsked: false, sentNumber: 1 },
  ]
  const answer = preAlertAnswerSchema.parse(sampleOf(preAlertAnswerSchema))
  const preAlert = {
    ...preAlertSchema.parse(sampleOf(preAlertSchema)),
    state: 'accepted' as const,
    sentNumber: 2,
    answer: { ...answer, totalParcels: 1, iossManifestLocked: false },
  }
  await close()
  bridge.getManifest = async () => ok(getPage(ids.B, { uploads, preAlerts: [preAlert] }))
  await open('B')
  await user.click(screen.getByRole('tab', { name: 'Pre-alert' }))
  const locked = await screen.findByRole('row', { name: /^Locked/ })
  expect(locked.dataset.differs).toBeUndefined()
})

describe('removing an air waybill', () => {
  const remove = async ({ user }: Awaited<ReturnType<typeof renderManifests>>) => {
    await user.click(screen.getByRole('button', { name: 'Remove this air waybill' }))
    const dialog = await screen.findByRole('dialog')
    const [confirm] = [...dialog.querySelectorAll('button')].filter(
      ({ textContent }) => textContent === 'Remove this air waybill',
    )
    if (confirm) await user.click(confirm)
  }

  it('returns to the list', async () => {
    const manifests = await renderManifests()
    manifests.bridge.removeManifest = async () => ok(undefined)
    await remove(manifests)
    await waitFor(() => expect(title()).toBe('Manifests'))
  })

  it('keeps its page and shows the error when it fails', async () => {
    const manifests = await renderManifests()
    manifests.bridge.removeManifest = async () => err(appError('manifest-uploaded'))
    await remove(manifests)
    expect(await screen.findByRole('alert')).toBeDefined()
    expect(title()).toBe('A')
  })
})

it('a pre-alert’s answer without a number of parcels is compared too', async () => {
  const { user, bridge, open, close } = await renderManifests()
  await close()
  const blank = preAlertAnswerSchema.parse(sampleOf(preAlertAnswerSchema))
  const nothing = Object.fromEntries(Object.keys(blank).map((key) => [key, null]))
  const answer = preAlertAnswerSchema.parse({ ...nothing, submittedGrossWeight: 1250 })
  const sent = { ...preAlertSchema.parse(sampleOf(preAlertSchema)), state: 'accepted' as const, error: null }
  bridge.getManifest = async () => ok(getPage(ids.A, { preAlerts: [{ ...sent, grossWeight: 1.25, answer }] }))
  await open('A')
  await user.click(screen.getByRole('tab', { name: 'Pre-alert' }))
  const weight = await screen.findByRole('row', { name: /^Gross weight/ })
  expect(weight.textContent).toMatch(/1\.25.*1,250.*differs/i)
})

it('shipments that were cancelled at the carrier are not offered for a manifest', async () => {
  const { user, bridge } = await renderManifests()
  const cancellation = { at: '2026-11-21T10:00:00.000Z', by: null, note: 'sold out' }
  const shipments = [
    sampleShipment({ id: ids.A, reference: 'ORDER-1' }),
    sampleShipment({ id: ids.B, reference: 'ORDER-2', cancellation }),
  ]
  bridge.searchShipments = async () => ok({ shipments, next: null, total: 2, fleetError: null })
  await user.click(screen.getByRole('button', { name: 'Add shipments' }))
  expect(await screen.findByRole('checkbox', { name: 'ORDER-1' })).toBeDefined()
  expect(screen.queryByRole('checkbox', { name: 'ORDER-2' })).toBeNull()
})

it('the dialog of shipments says when it offers only the newest of more created shipments', async () => {
  const { user, bridge, fake } = await renderManifests()
  const page = { shipments: [sampleShipment({ id: ids.A, reference: 'ORDER-1' })], next: 7, fleetError: null }
  bridge.searchShipments = async ({ text }) => ok({ ...page, total: text === '' ? 1001 : 200 })
  await user.click(screen.getByRole('button', { name: 'Add shipments' }))
  await screen.findByText('1,000+ shipments match, of which only the newest are shown: search to see others.')
  expect(fake.calls.findLast(({ method }) => method === 'searchShipments')?.input).toMatchObject({
    state: 'created',
  })
  await user.type(screen.getByLabelText('Reference, name, city or barcode'), 'ORDER')
  await waitFor(() => expect(screen.queryByText(/only the newest are shown/)).toBeNull())
})

it('«Select all shown» leaves out shipments that were added to an air waybill, which the dialog names', async () => {
  const { user, bridge, fake } = await renderManifests()
  const shipments = [
    sampleShipment({ id: ids.A, reference: 'ORDER-1' }),
    sampleShipment({ id: ids.B, reference: 'ORDER-2' }),
  ]
  bridge.searchShipments = async () => ok({ shipments, next: null, total: 2, fleetError: null })
  bridge.listAddedShipments = async () => ok([{ shipmentId: ids.A, airWaybillNumber: '074-12345675' }])
  await user.click(screen.getByRole('button', { name: 'Add shipments' }))
  await screen.findByText(/^added to 074-12345675 · /)
  await user.click(screen.getByRole('checkbox', { name: 'Select all shown' }))
  await user.click(screen.getByRole('button', { name: 'Add 1 shipment' }))
  const adding = fake.calls.findLast(({ method }) => method === 'addShipmentsToManifest')
  expect(adding?.input).toMatchObject({ shipmentIds: [ids.B] })
})

it('the dialog of shipments names their carrier options, and «Select all shown» ticks only those of the chosen one', async () => {
  const { user, bridge, fake } = await renderManifests()
  const shipments = [
    sampleShipment({ id: ids.A, reference: 'ORDER-1', carrierOptionId: 34 }),
    sampleShipment({ id: ids.B, reference: 'ORDER-2', carrierOptionId: 51 }),
  ]
  const answer = (found: typeof shipments) =>
    ok({ shipments: found, next: null, total: found.length, fleetError: null })
  const dhl = deferred<ReturnType<typeof answer>>()
  bridge.searchShipments = ({ carrierOptionId }) =>
    carrierOptionId === 51 ? dhl.promise : Promise.resolve(answer(shipments))
  await user.click(screen.getByRole('button', { name: 'Add shipments' }))
  expect(await screen.findByText(/ · PostNL parcel · /)).toBeDefined()
  expect(screen.getByText(/ · DHL Europlus · /)).toBeDefined()
  await user.selectOptions(screen.getByLabelText('Carrier option'), 'DHL Europlus')
  const all = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select all shown' })
  expect(all.disabled).toBe(true)
  await act(async () => dhl.resolve(answer(shipments.slice(1))))
  await user.click(all)
  await user.click(screen.getByRole('button', { name: 'Add 1 shipment' }))
  const adding = fake.calls.findLast(({ method }) => method === 'addShipmentsToManifest')
  expect(adding?.input).toMatchObject({ shipmentIds: [ids.B] })
})

it('the dialog of shipments says how many ticked ones are not shown after another carrier option was chosen', async () => {
  const { user, bridge } = await renderManifests()
  const shipments = [
    sampleShipment({ id: ids.A, reference: 'ORDER-1', carrierOptionId: 34 }),
    sampleShipment({ id: ids.B, reference: 'ORDER-2', carrierOptionId: 51 }),
  ]
  bridge.searchShipments = async ({ carrierOptionId = null }) => {
    const found = shipments.filter(
      (each) => carrierOptionId === null || each.carrierOptionId === carrierOptionId,
    )
    return ok({ shipments: found, next: null, total: found.length, fleetError: null })
  }
  await user.click(screen.getByRole('button', { name: 'Add shipments' }))
  await screen.findByRole('checkbox', { name: 'ORDER-2' })
  await user.click(screen.getByRole('checkbox', { name: 'Select all shown' }))
  expect(screen.queryByText(/not among those shown/)).toBeNull()
  await user.selectOptions(screen.getByLabelText('Carrier option'), 'DHL Europlus')
  expect(
    await screen.findByText('1 ticked shipment is not among those shown. It is added too.'),
  ).toBeDefined()
  expect(screen.getByRole('button', { name: 'Add 2 shipments' })).toBeDefined()
})

it('the dialog of shipments keeps its ticks and shows the error when adding fails', async () => {
  const { user, bridge } = await renderManifests()
  const shipments = [sampleShipment({ id: ids.A, reference: 'ORDER-1' })]
  bridge.searchShipments = async () => ok({ shipments, next: null, total: 1, fleetError: null })
  bridge.addShipmentsToManifest = async () => err(appError('manifest-locked'))
  await user.click(screen.getByRole('button', { name: 'Add shipments' }))
  const choice = await screen.findByRole<HTMLInputElement>('checkbox', { name: 'ORDER-1' })
  await user.click(choice)
  const add = screen.getByRole('button', { name: 'Add 1 shipment' })
  await user.click(add)
  expect(await within(screen.getByRole('dialog')).findByRole('alert')).toBeDefined()
  expect(choice.checked).toBe(true)
  const { addShipmentsToManifest } = createFakeBridge().bridge
  bridge.addShipmentsToManifest = addShipmentsToManifest
  await user.click(add)
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})
