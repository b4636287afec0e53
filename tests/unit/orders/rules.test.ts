import { describe, expect, it } from 'vitest'
import { completeByRule, explainRule, findRule, type RuledOrder } from '../../../src/main/orders/rules'
import type { OrderRule } from '../../../src/shared/orders'

const order: RuledOrder = {
  values: { country: 'NL', postalCode: '1015 CN', weight: '2.5' },
  items: [
    { sku: 'SHIRT-M', name: 'Shirt', quantity: '1', price: '', weight: '', hsCode: '', countryOfOrigin: '' },
  ],
  orderValue: '64.85',
  columns: { 'Shipping Method': 'Next day' },
}

function holds(when: OrderRule['when'], change: Partial<RuledOrder> = {}): boolean {
  const orderRules = [{ name: 'rule', when, set: {} }]
  return findRule({ ...order, ...change }, { orderRules, shipmentDefaults: {} }) !== undefined
}

describe('a rule for orders', () => {
  it.each<[string, OrderRule['when'], boolean]>([
    ['it has no condition', {}, true],
    ['the country is listed', { countries: ['BE', 'NL'] }, true],
    ['the country is not listed', { countries: ['DE'] }, false],
    [
      'the postal code is within the range, ignoring blanks',
      { postalCodes: [{ from: '1000', to: '1019' }] },
      true,
    ],
    ['the postal code is the last one of the range', { postalCodes: [{ from: '1000', to: '1015' }] }, true],
    ['the postal code is past the range', { postalCodes: [{ from: '1000', to: '1014' }] }, false],
    [
      'the second range has the postal code',
      {
        postalCodes: [
          { from: '20', to: '29' },
          { from: '10', to: '10' },
        ],
      },
      true,
    ],
    ['the weight equals both bounds', { weight: { min: 2.5, max: 2.5 } }, true],
    ['the weight is above its maximum', { weight: { max: 2 } }, false],
    ['the value is above its minimum', { value: { min: 50 } }, true],
    ['a product is listed, ignoring case', { skus: ['shirt-m'] }, true],
    ['a product begins with the listed text', { skus: ['SHIRT*'] }, true],
    ['no product is listed', { skus: ['BELT'] }, false],
    [
      'a column contains the text',
      { column: { name: 'Shipping Method', match: 'contains', text: 'next' } },
      true,
    ],
    [
      'a column does not equal the text',
      { column: { name: 'Shipping Method', match: 'is', text: 'next' } },
      false,
    ],
    ['one of two conditions is false', { countries: ['NL'], value: { max: 10 } }, false],
  ])('is checked when %s: its conditions %j match: %s', (_title, when, expected) => {
    expect(holds(when)).toBe(expected)
  })

  it('matches no range of numbers when the order has no number', () => {
    expect(holds({ weight: { min: 0 } }, { values: {} })).toBe(false)
    expect(holds({ weight: { min: 12 } }, { values: { weight: '12,5' } })).toBe(true)
    expect(holds({ value: { max: 10 } }, { orderValue: '' })).toBe(false)
  })

  it('takes the country of an order that has none from the shipment defaults', () => {
    const rule: OrderRule = { name: 'Netherlands', when: { countries: ['NL'] }, set: {} }
    const settings = { orderRules: [rule], shipmentDefaults: { country: 'NL' } }
    const withoutCountry = { ...order, values: { postalCode: '1015 CN' } }
    expect(findRule(withoutCountry, settings)).toEqual(rule)
    expect(explainRule(withoutCountry, rule, settings)).toEqual([{ condition: 'countries', value: 'NL' }])
    expect(findRule({ ...order, values: { country: 'BE' } }, settings)).toBeUndefined()
  })

  it('applies only if no earlier rule matches, and does not replace values of the order', () => {
    const rules: OrderRule[] = [
      { name: 'Germany', when: { countries: ['DE'] }, set: { carrierOptionId: 1 } },
      {
        name: 'Netherlands',
        when: { countries: ['NL'] },
        set: { carrierOptionId: 34, weight: 1, numberOfPackages: 2 },
      },
      { name: 'rest', when: {}, set: { carrierOptionId: 99 } },
    ]
    const rule = findRule(order, { orderRules: rules, shipmentDefaults: {} })
    expect(rule?.name).toBe('Netherlands')
    expect(completeByRule(order.values, rule)).toEqual({
      ...order.values,
      carrierOptionId: '34',
      numberOfPackages: '2',
    })
  })
})

it('a rule finds its column although the heading in the file has blanks around it, and explains its match', () => {
  const when = { column: { name: 'Channel', match: 'is' as const, text: 'b2b' } }
  const columns = { ' Channel ': 'B2B' }
  expect(holds(when, { columns })).toBe(true)
  const settings = { orderRules: [], shipmentDefaults: {} }
  expect(explainRule({ ...order, columns }, { name: 'rule', when, set: {} }, settings)).toEqual([
    { condition: 'column', value: 'Channel B2B' },
  ])
})
