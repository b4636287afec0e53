import { act, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { ManifestsScreen } from '../../src/renderer/features/manifests/Screen'
import {
  type ManifestDetails,
  preAlertSchema,
  type Upload,
  uploadSchema,
} from '../../src/shared/consignments'
import { type AppError, appError } from '../../src/shared/errors'
import { err, ok, type Result } from '../../src/shared/result'
import { deferred } from '../support/deferred'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleOf } from '../support/sampleOf'
import { renderApp } from './renderApp'

const ids = {
  A: '5f3c1c52-58a5-4a0e-9d7e-3a1d3b1c0001',
  B: '5f3c1c52-58a5-4a0e-9d7e-3a1d3b1c0002',
}

function getPage(id: string, change: Partial<ManifestDetails> = {}): ManifestDetails {
  const totals = { lines: 1, packages: 1, parcels: 1, parcelWeight: 1, prices: [] }
  return {
    ...{ id, airWaybillNumber: id === ids.A ? 'A' : 'B', lines: 1, state: 'draft', lock: 'open' },
    ...{ createdAt: '2026-11-21T09:00:00.000Z', changedAt: '2026-11-21T09:00:00.000Z' },
    ...{ hasUnsentLines: false, unknownUpload: false, unknownPreAlert: false, uploads: [], preAlerts: [] },
    summary: {
      revision: 1,
      lines: 1,
      errors: 0,
      advice: 0,
      totals,
      canUndo: false,
      canRedo: false,
      saveError: null,
    },
    ...change,
  }
}

/** Two air waybills; the pre-alert of the first one is shown. */
async function renderPreAlert(change: Partial<ManifestDetails> = {}) {
  const fake = createFakeBridge()
  const { bridge } = fake
  const sent = deferred<Result<ManifestDetails, AppError>>()
  bridge.listManifests = async () => ok([getPage(ids.A), getPage(ids.B)])
  bridge.getManifest = async ({ manifestId }) => ok(getPage(manifestId, change))
  bridge.previewPdf = async () => ok({ pages: 1, width: 1, height: 1, pixels: new ArrayBuffer(1) })
  bridge.sendPreAlert = () => sent.promise
  const rendered = renderApp(<ManifestsScreen settings={fake.state.settings} />, fake)
  const { user } = rendered
  const open = async (number: 'A' | 'B') => {
    await user.click(await screen.findByRole('button', { name: new RegExp(`^${number}`) }))
    await user.click(await screen.findByRole('tab', { name: 'Pre-alert' }))
  }
  await open('A')
  const field = (name: RegExp) => screen.getByLabelText<HTMLInputElement>(name)
  const send = () => user.click(screen.getByRole('button', { name: 'Send pre-alert' }))
  const choose = (name = 'awb.pdf') =>
    user.upload(field(/^Choose PDF/), new File(['%PDF-'], name, { type: 'application/pdf' }))
  const fillAndSend = async () => {
    await user.click(screen.getByRole('checkbox'))
    await user.type(field(/^Estimated/), '2026-12-24')
    await user.type(field(/^Gross weight/), '12,5')
    await choose()
    await screen.findByText(/awb\.pdf/)
    await send()
  }
  const sendings = () => fake.calls.filter(({ method }) => method === 'sendPreAlert')
  return { ...rendered, open, field, send, choose, fillAndSend, sendings, sent }
}

describe('a pre-alert', () => {
  it('can not be sent while the outcome of an upload is unknown, and the tab says why', async () => {
    const uploads: Upload[] = [{ ...uploadSchema.parse(sampleOf(uploadSchema)), state: 'accepted' }]
    await renderPreAlert({ unknownUpload: true, uploads })
    expect(await screen.findByText(/^The outcome of an upload is unknown/)).toBeDefined()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Send pre-alert' }).disabled).toBe(true)
  })

  it('is not sent while fields are missing, and reports all of them', async () => {
    const { user, field, send, sendings } = await renderPreAlert()
    await user.click(screen.getByRole('checkbox'))
    await send()
    expect(field(/^Estimated/).getAttribute('aria-invalid')).toBe('true')
    expect(field(/^Gross weight/).getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByText(/PDF of the air waybill/)).toBeDefined()
    expect(sendings()).toEqual([])
  })

  it('is sent once, and keeps its input and its error while another air waybill is shown', async () => {
    const { user, open, field, send, fillAndSend, sendings, sent } = await renderPreAlert()
    await fillAndSend()
    await user.click(screen.getByRole('tab', { name: /^Lines/ }))
    await user.click(screen.getByRole('tab', { name: 'Pre-alert' }))
    await send()
    expect(sendings()).toMatchObject([
      { input: { manifestId: ids.A, request: { grossWeight: 12.5 }, uploadedElsewhere: true } },
    ])
    await user.click(screen.getByRole('button', { name: 'All air waybills' }))
    await open('B')
    sent.resolve(err(appError('service-unreachable', { host: 'carrier.example' })))
    await waitFor(() => expect(field(/^Gross weight/).value).toBe(''))
    expect(screen.queryByText(/carrier\.example/)).toBeNull()
    await user.click(screen.getByRole('button', { name: 'All air waybills' }))
    await open('A')
    expect(await screen.findByText(/carrier\.example/)).toBeDefined()
    expect(field(/^Gross weight/).value).toBe('12,5')
    expect(screen.getByText(/awb\.pdf/)).toBeDefined()
  })

  it('is sent while that of another air waybill waits for the service', async () => {
    const { user, open, fillAndSend, sendings } = await renderPreAlert()
    await fillAndSend()
    await user.click(screen.getByRole('button', { name: 'All air waybills' }))
    await open('B')
    await fillAndSend()
    expect(sendings()).toMatchObject([{ input: { manifestId: ids.A } }, { input: { manifestId: ids.B } }])
  })

  it('that is refused because of an unknown outcome that the page does not show yet shows it, so that it can be resolved', async () => {
    const { user, fake, field, fillAndSend, sent } = await renderPreAlert()
    await fillAndSend()
    const preAlert = {
      ...preAlertSchema.parse(sampleOf(preAlertSchema)),
      ...{ id: ids.B, state: 'unknown' as const, error: null },
    }
    const page = getPage(ids.A, { unknownPreAlert: true, preAlerts: [preAlert] })
    fake.bridge.getManifest = async () => ok(page)
    sent.resolve(err(appError('pre-alert-unknown')))
    const accepted = await screen.findByRole('button', { name: 'It was accepted' })
    expect(field(/^Gross weight/).value).toBe('12,5')
    fake.bridge.resolveSubmission = async () => err(appError('submission-not-unknown'))
    fake.bridge.getManifest = async () =>
      ok(getPage(ids.A, { preAlerts: [{ ...preAlert, state: 'refused' }] }))
    await user.click(accepted)
    await waitFor(() => expect(screen.getByTestId('pre-alert').dataset.state).toBe('refused'))
  })

  it('is sent again after an accepted one only with a confirmation', async () => {
    const accepted = { ...preAlertSchema.parse(sampleOf(preAlertSchema)), state: 'accepted' as const }
    const uploads: Upload[] = [{ ...uploadSchema.parse(sampleOf(uploadSchema)), state: 'accepted' }]
    const page = { preAlerts: [accepted], uploads }
    const { fillAndSend, sendings, sent } = await renderPreAlert(page)
    const again = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Send another pre-alert' })
    const send = screen.getByRole<HTMLButtonElement>('button', { name: 'Send pre-alert' })
    expect(send.disabled).toBe(true)
    await fillAndSend()
    expect(sendings()).toMatchObject([{ input: { again: true } }])
    sent.resolve(ok(getPage(ids.A, page)))
    await waitFor(() => expect(again.checked).toBe(false))
    expect(send.disabled).toBe(true)
  })

  it('repeats the gross weight as it is understood, and says when it is less than that of the uploaded parcels', async () => {
    const upload = uploadSchema.parse(sampleOf(uploadSchema))
    const ofCopy: Upload = { ...upload, id: ids.B, state: 'accepted', lines: 0, parcelWeight: 0 }
    const uploads: Upload[] = [ofCopy, { ...upload, state: 'accepted', lines: 1, parcelWeight: 1250 }]
    const { user, field } = await renderPreAlert({ uploads })
    const weight = field(/^Gross weight/)
    const getWords = () => document.getElementById(weight.getAttribute('aria-describedby') ?? '')?.textContent
    await user.type(weight, '1,300.5')
    expect(getWords()).toBeUndefined()
    await user.clear(weight)
    await user.type(weight, '1300,5')
    expect(getWords()).toBe('= 1,300.5')
    await user.clear(weight)
    await user.type(weight, '1,250')
    await waitFor(() => expect(getWords()).toMatch(/^1\.25 is less than the weight of the parcels \(1,250\)/))
  })

  it('has the PDF that was chosen last, also if an earlier one takes longer to be read', async () => {
    const { fake, choose } = await renderPreAlert()
    const { previewPdf } = fake.bridge
    const slow = deferred<Awaited<ReturnType<typeof previewPdf>>>()
    fake.bridge.previewPdf = () => slow.promise
    await choose('first.pdf')
    await waitFor(() => expect(fake.calls.filter(({ method }) => method === 'previewPdf')).toHaveLength(1))
    fake.bridge.previewPdf = previewPdf
    await choose('last.pdf')
    await screen.findByText(/last\.pdf/)
    const picture = await previewPdf({ bytes: new ArrayBuffer(1) })
    await act(async () => slow.resolve(picture))
    expect(screen.queryByText(/first\.pdf/)).toBeNull()
    expect(screen.getByText(/last\.pdf/)).toBeDefined()
  })
})
