import { describe, expect, it } from 'vitest'
import { judgeCreation, readCreation } from '../../../src/main/carrier/createShipment'
import { hiding } from '../../../src/main/log/redactor'

const label = { barcode: '3S1', labeltype: 'pdf', encodeType: 'base64', content: 'JVBERi0=', shipmentId: '7' }

describe('judgeCreation', () => {
  it.each([
    [{ status: true, labels: [label] }, 'accepted'],
    [{ status: true }, 'accepted'],
    [{ status: 'true' }, 'accepted'],
    [{ status: true, Errors: 'a field that is not part of this answer' }, 'accepted'],
    [{ status: false }, 'denied'],
    [{ status: 'False' }, 'denied'],
    [{ status: false, labels: [], shipmentID: '', SubLogID: 'S1' }, 'denied'],
    [{ status: false, shipmentID: 0, ZendingID: '0', Barcode: null }, 'denied'],
    [{ status: false, labels: [label] }, 'unclear'],
    [{ status: false, shipmentID: '7' }, 'unclear'],
    [{ status: 1, labels: [label] }, 'accepted'],
    [{ status: '1', shipmentID: '7' }, 'accepted'],
    [{ state: 1, Errors: '', Barcode: '3S1' }, 'accepted'],
    [{ status: 1 }, 'unclear'],
    [{ state: '1' }, 'unclear'],
    [{ status: 1, Errors: 'no street' }, 'denied'],
    [{ status: 0 }, 'unclear'],
    [{ status: 'ok', labels: [label] }, 'unclear'],
    [{ status: null }, 'unclear'],
    [{ status: true, state: 'false' }, 'unclear'],
    [{ state: 'true', Errors: '' }, 'accepted'],
    [{ state: ' TRUE ' }, 'accepted'],
    [{ state: true, Errors: null }, 'accepted'],
    [{ state: 'true', Errors: [] }, 'accepted'],
    [{ state: 'true', Errors: [''] }, 'accepted'],
    [{ state: 'false', Errors: 'no street' }, 'denied'],
    [{ state: false }, 'denied'],
    [{ state: 'error', Errors: 'no street' }, 'denied'],
    [{ Errors: ['no street'] }, 'denied'],
    [{ state: 'true', Errors: 'no street' }, 'unclear'],
    [{ state: 1, Errors: 'no street' }, 'denied'],
    [{ state: 'true', Errors: 'printed twice', Barcode: '3S1' }, 'unclear'],
    [{ state: 'false', Errors: 'late', ZendingID: 77 }, 'unclear'],
    [{ state: 'false', Errors: 'late', url: 'https://carrier.example/label/1' }, 'unclear'],
    [{ state: 'false', Errors: 'late', zpl: '^XA^XZ' }, 'unclear'],
    [{ state: 'false', Errors: 'late', trace: 'https://carrier.example/track/3S1' }, 'unclear'],
    [{ state: '' }, 'unclear'],
    [{ state: {}, Errors: {} }, 'unclear'],
    [{}, 'unclear'],
    [{ labels: [label] }, 'unclear'],
  ])('judges the creation answer %j as %s', (answer, verdict) => {
    expect(judgeCreation(answer)).toBe(verdict)
  })
})

const redact = hiding(['the-key', 'https://carrier.example/label/t0ken'], (text) => text)

const nothing = {
  labels: [],
  labelCount: 0,
  barcodes: [],
  serviceShipmentId: null,
  zendingId: null,
  subLogId: null,
  logId: null,
  message: null,
  trackingUrl: null,
  labelUrl: null,
  limits: null,
}

describe('readCreation', () => {
  it('reads barcodes, ids and labels of a direct label response', () => {
    const answer = {
      status: true,
      labels: [label, { ...label, barcode: '3S2' }, { ...label, barcode: '3S1' }, null],
      shipmentID: '70',
      SubLogID: 'S9',
      addedLater: { deep: true },
    }
    const creation = readCreation(answer, redact)
    expect(creation).toMatchObject({
      barcodes: ['3S1', '3S2'],
      serviceShipmentId: '70',
      subLogId: 'S9',
      labelUrl: null,
    })
    expect(creation.labels.map(({ problem }) => problem)).toEqual([null, null, null, 'undecodable'])
  })

  it('reads ids, links and size limits of an answer without label content', () => {
    const answer = {
      state: 'true',
      message: 'Made with the-key',
      Errors: '',
      ActionName: 101,
      logId: '5',
      parcelInformation: { MinL: '1.000', MaxL: 175, DBMinB: '', DBMaxOmtrek: '300', Other: 'x' },
      Pricing: { anything: [1] },
      trace: 'https://track.example/3S1?lang=nl',
      zpl: '',
      ZendingID: 123,
      Barcode: '3S1',
      url: 'https://carrier.example/label/t0ken',
    }
    expect(readCreation(answer, redact)).toEqual({
      ...nothing,
      barcodes: ['3S1'],
      zendingId: '123',
      logId: '5',
      message: 'Made with [redacted]',
      trackingUrl: 'https://track.example/3S1?lang=nl',
      labelUrl: 'https://carrier.example/label/t0ken',
      limits: {
        minLength: '1.000',
        maxLength: '175',
        minWidth: null,
        maxWidth: null,
        minHeight: null,
        maxHeight: null,
        minWeight: null,
        maxWeight: null,
        maxVolume: null,
        maxCircumference: '300',
      },
    })
  })

  it('reads the ZPL label of an answer without label content', () => {
    const { labels } = readCreation({ state: 'true', zpl: '^XA^XZ', Barcode: '3S1' }, redact)
    expect(labels).toEqual([{ barcode: '3S1', kind: 'zpl', bytes: Buffer.from('^XA^XZ'), problem: null }])
  })

  it.each([
    {},
    { labels: null },
    { labels: [] },
    { labels: 'x', Barcode: [], trace: 4, url: {}, parcelInformation: [] },
  ])('returns an empty creation for the answer %j', (answer) => {
    expect(readCreation(answer, redact)).toEqual(nothing)
  })

  it('counts every label but reads at most 200', () => {
    expect(readCreation({ state: 'true', zpl: '^XA^XZ\n^xa^xz' }, redact).labelCount).toBe(2)
    const labels = Array.from({ length: 20_000 }, (_none, index) => ({ ...label, barcode: `3S${index}` }))
    const creation = readCreation({ status: true, labels }, redact)
    expect([creation.labelCount, creation.labels.length, creation.barcodes.length]).toEqual([
      20_000, 200, 200,
    ])
  })

  it('reads labels that are an object instead of a list', () => {
    expect(readCreation({ labels: { 0: label, 1: label } }, redact).labels).toHaveLength(2)
    expect(readCreation({ labels: label }, redact).barcodes).toEqual(['3S1'])
  })

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'not a link',
    'https://t.example/?k=the-key',
    'https://t.example/?k=the%2Dkey/the-key',
    'https://carrier.example/label/t0ken',
    'https://CARRIER.example/label/t0ken#top',
    `https://t.example/?label=${encodeURIComponent('https://carrier.example/label/t0ken')}`,
  ])('drops the unsafe tracking link %s', (trace) => {
    expect(readCreation({ trace }, redact).trackingUrl).toBeNull()
  })
})
