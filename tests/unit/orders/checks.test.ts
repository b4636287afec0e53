import { expect, it } from 'vitest'
import { checkOrder } from '../../../src/main/orders/checks'
import type { OrderValues } from '../../../src/shared/orders'

const sound: OrderValues = {
  ...{ reference: 'A-1', lastName: 'Smit', street: 'Dam', houseNumber: '1', postalCode: '1012 JS' },
  ...{ city: 'Amsterdam', country: 'NL' },
}

function check(values: OrderValues, defaults = {}) {
  return checkOrder({ ...sound, ...values }, defaults)
}

it.each<[keyof OrderValues, string]>([
  ['reference', '1,23457E+12'],
  ['reference', '8.19501E+15'],
  ['reference', '1E+12'],
  ['phoneNumber', '3,16123E+10'],
  ['lastName', 'Hö\uFFFD'],
  ['street', 'K\uFFFDnigstraße'],
  ['houseNumber', '12-mrt'],
  ['houseNumber', '3-Dec'],
  ['houseNumber', '12-Mar'],
  ['houseNumber', '12. Mrz'],
  ['houseNumber', '1. Mai'],
  ['houseNumber', '08-mai'],
  ['houseNumber', '12-févr'],
  ['houseNumber', '12-janv.'],
  ['houseNumber', 'mrt-45'],
  ['houseNumber', 'Mar-45'],
  ['houseNumber', '12-mrt A'],
])('a %s «%s» was damaged on its way, and has to be entered', (field, text) => {
  expect(check({ [field]: text })).toEqual([{ field, code: 'cell-error' }])
})

it.each<[OrderValues]>([
  ...['1E5', '12E3-7', '2E10', '1E+', '100E+5', 'E+12', '1234567890123', '8195012345678901', '1.5E-7'].map(
    (reference): [OrderValues] => [{ reference }],
  ),
  ...['12-3', '12', '3-dec-hoog', '12-hs', '7 mei', '5 jan', '12-A', '2-hoog', '12/3', '4-12', 'bus 12'].map(
    (houseNumber): [OrderValues] => [{ houseNumber }],
  ),
  [{ street: 'Rue du', houseNumber: '8-Mai' }],
  [{ street: 'Straße des 17. Juni', houseNumber: '135' }],
  [{ phoneNumber: '+31612345678' }],
  [{ content: 'Wei\uFFFD' }],
])('%o are as they were written', (values) => {
  expect(check(values)).toEqual([])
})

it.each([
  ['DE', '1067'],
  ['FR', '6000'],
  ['ES', '8001'],
  ['IT', '118'],
  ['US', '2139'],
  ['US', '2139-4307'],
  ['FI', '100'],
])('in %s the postal code «%s» lacks digits', (country, postalCode) => {
  const issue = { field: 'postalCode', code: 'lost-zero' }
  expect(check({ country, postalCode })).toEqual([issue])
  const { country: _, ...withoutCountry } = { ...sound, postalCode }
  expect(checkOrder(withoutCountry, { country })).toEqual([issue])
})

it.each([
  ['NL', '1015 CJ'],
  ['NL', '1015'],
  ['BE', '2000'],
  ['NO', '0150'],
  ['AT', '1010'],
  ['CH', '8001'],
  ['DK', '1050'],
  ['LU', '1009'],
  ['PT', '1000-001'],
  ['IS', '101'],
  ['DE', '01067'],
  ['DE', 'D-1067'],
  ['US', '02139-4307'],
  ['FR', '75008 CEDEX 08'],
  ['FR', ''],
])('in %s «%s» is taken as it is', (country, postalCode) => {
  expect(check({ country, postalCode }, { country: 'DE' })).toEqual([])
})
