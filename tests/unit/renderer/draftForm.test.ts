import { describe, expect, it } from 'vitest'
import { adviceFor, blankForm, readForm } from '../../../src/renderer/features/ship/form'
import { readNumber } from '../../../src/shared/fields'
import type { CarrierLimits } from '../../../src/shared/shipments'
import { sampleSettings } from '../../support/screenSamples'

const form = {
  ...blankForm(sampleSettings()),
  reference: 'ORDER-1001',
  lastName: 'de Vries',
  street: 'Kerkstraat',
  city: 'Amsterdam',
  weight: '2.5',
}

const limits: CarrierLimits = {
  minLength: '10.000',
  maxLength: '175.000',
  minWidth: null,
  maxWidth: null,
  minHeight: '0.000',
  maxHeight: '0.000',
  minWeight: '0.000',
  maxWeight: '23.000',
  maxVolume: null,
  maxCircumference: null,
}

describe('readNumber', () => {
  it.each([
    ['2.5', 2.5],
    ['2,5', 2.5],
    [' 31 ', 31],
    ['0', 0],
  ])('reads %j', (text, value) => {
    expect(readNumber(text)).toBe(value)
  })

  it.each(['', ' ', '1.000,5', '1e3', '0x10', 'abc', 'Infinity'])(
    'returns NaN for %j instead of guessing',
    (text) => {
      expect(readNumber(text)).toBeNaN()
    },
  )
})

describe('blankForm', () => {
  it('chooses the only carrier option when no default names one', () => {
    const [only] = sampleSettings().carriers
    expect(only).toBeDefined()
    expect(blankForm({ carriers: only ? [only] : [], shipmentDefaults: {} }).carrier).toBe('12:34')
    expect(blankForm({ carriers: sampleSettings().carriers, shipmentDefaults: {} }).carrier).toBe('')
  })

  it('keeps a default carrier option that has no name in the settings', () => {
    const settings = { carriers: [], shipmentDefaults: { carrierId: 7, carrierOptionId: 8 } }
    expect(blankForm(settings).carrier).toBe('7:8')
  })

  it('shows dimensions that mean «not measured» as empty', () => {
    expect(blankForm({ carriers: [], shipmentDefaults: { length: 0, width: 30 } })).toMatchObject({
      length: '',
      width: '30',
    })
  })
})

describe('readForm', () => {
  it('reads a complete form', () => {
    expect(readForm(form)).toMatchObject({ ok: true, value: { weight: 2.5, carrierOptionId: 34 } })
  })

  it.each([
    ['reference', '', 'required'],
    ['reference', 'ORDER\u001d1', 'control-character'],
    ['country', 'XX', 'country'],
    ['weight', '0', 'range'],
    ['numberOfPackages', '1.5', 'number'],
    ['numberOfPackages', '100', 'range'],
    ['length', '-1', 'range'],
    ['content', 'x'.repeat(501), 'too-long'],
    ['carrier', '', 'carrier-required'],
  ])('reports the issue of %s with the value %j', (field, text, code) => {
    const read = readForm({ ...form, [field]: text })
    expect(read).toMatchObject({ ok: false, error: { [field]: { code } } })
    expect(read.ok ? [] : Object.keys(read.error)).toEqual([field])
  })

  it('accepts a company name without a person', () => {
    expect(readForm({ ...form, lastName: '', companyName: 'De Vries B.V.' }).ok).toBe(true)
  })
})

describe('adviceFor', () => {
  it('gives advice on empty fields that most carriers need', () => {
    expect(adviceFor(form, null)).toEqual({
      houseNumber: { code: 'empty-houseNumber' },
      postalCode: { code: 'empty-postalCode' },
      phoneNumber: { code: 'empty-phoneNumber' },
      email: { code: 'empty-email' },
    })
  })

  it('gives advice on a malformed e-mail address only', () => {
    expect(adviceFor({ ...form, email: 'sanne@devries' }, null).email).toEqual({ code: 'email-shape' })
    expect(adviceFor({ ...form, email: 'sanne@devries.example' }, null).email).toBeUndefined()
  })

  it('gives advice on a postal code that lacks digits in its country', () => {
    const read = (country: string, postalCode: string) =>
      adviceFor({ ...form, country, postalCode }, null).postalCode
    expect(read('DE', '1067')).toEqual({ code: 'lost-zero' })
    expect([read('DE', '01067'), read('NL', '1015'), read('BE', '2000')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('warns beyond a stated limit, but not at the limit', () => {
    expect(adviceFor({ ...form, weight: '23' }, limits).weight).toBeUndefined()
    expect(adviceFor({ ...form, weight: '23,1' }, limits).weight).toEqual({
      code: 'above',
      limit: '23.000',
    })
    expect(adviceFor({ ...form, length: '5' }, limits).length).toEqual({ code: 'below', limit: '10.000' })
  })

  it('treats a limit of 0 as no limit, and an empty dimension as not measured', () => {
    expect(adviceFor({ ...form, height: '900' }, limits).height).toBeUndefined()
    expect(adviceFor({ ...form, length: '' }, limits).length).toBeUndefined()
  })
})
