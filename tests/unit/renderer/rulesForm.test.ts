import { expect, it } from 'vitest'
import { newRule, rulesForm } from '../../../src/renderer/features/settings/rules/form'
import type { OrderRule } from '../../../src/shared/orders'
import { defaultSettings } from '../../../src/shared/settings'

const rules: OrderRule[] = [
  {
    name: 'Germany',
    when: { countries: ['DE', 'AT'], weight: { max: 20 } },
    set: { carrierOptionId: 34, signatureRequired: false },
  },
  {
    name: 'City',
    when: {
      postalCodes: [
        { from: '1000', to: '1999' },
        { from: '00-950', to: '00-960' },
        { from: '1012', to: '1012' },
        { from: '00-950', to: '00-950' },
      ],
      value: { min: 50, max: 100 },
      skus: ['POSTER-*', 'MUG'],
      column: { name: 'Channel', match: 'contains', text: 'b2b' },
    },
    set: { numberOfPackages: 2, weight: 0.5, content: 'Posters' },
  },
]

it('the form of order rules shows rules as text and reads the same rules back', () => {
  const settings = { ...defaultSettings, orderRules: rules }
  expect(rulesForm.read(rulesForm.toValues(settings), settings)).toEqual({
    ok: true,
    value: { orderRules: rules },
  })
})

it('the form of order rules reads typed input: lower case, a decimal comma, a single postal code, a hyphen', () => {
  const typed = {
    ...newRule(),
    name: 'Near',
    countries: 'nl be',
    postalCodes: '1012; 2000-2999',
    minWeight: '0,5',
  }
  expect(rulesForm.read({ orderRules: [typed] }, defaultSettings)).toEqual({
    ok: true,
    value: {
      orderRules: [
        {
          name: 'Near',
          when: {
            countries: ['NL', 'BE'],
            postalCodes: [
              { from: '1012', to: '1012' },
              { from: '2000', to: '2999' },
            ],
            weight: { min: 0.5 },
          },
          set: {},
        },
      ],
    },
  })
})

it.each([
  [['A,B'], '"A,B"'],
  [['A;B', 'MUG'], '"A;B", MUG'],
  [['PIPE 3"', '"X"', 'A"B,C'], 'PIPE 3", """X""", "A""B,C"'],
])('the form of order rules keeps the product codes %j and shows them as %s', (skus, text) => {
  const settings = { ...defaultSettings, orderRules: [{ name: 'Codes', when: { skus }, set: {} }] }
  const values = rulesForm.toValues(settings)
  expect(values.orderRules[0]?.skus).toBe(text)
  expect(rulesForm.read(values, settings)).toEqual({ ok: true, value: { orderRules: settings.orderRules } })
})

it('the form of order rules reads product codes with a missing quote, blanks and empty places', () => {
  const typed = { ...newRule(), name: 'Codes', skus: ' "A , ;; "B,C" \nPOSTER-*;, ' }
  expect(rulesForm.read({ orderRules: [typed] }, defaultSettings)).toMatchObject({
    value: { orderRules: [{ when: { skus: ['"A', 'B,C', 'POSTER-*'] } }] },
  })
})

it('the form of order rules reports invalid values at their field', () => {
  const typed = {
    ...newRule(),
    countries: 'XX',
    maxWeight: 'heavy',
    columnText: 'b2b',
    numberOfPackages: '0',
  }
  const read = rulesForm.read({ orderRules: [typed] }, defaultSettings)
  expect(read.ok ? [] : Object.keys(read.error).toSorted()).toEqual([
    'orderRules.0.columnName',
    'orderRules.0.countries',
    'orderRules.0.maxWeight',
    'orderRules.0.name',
    'orderRules.0.numberOfPackages',
  ])
})
