import { describe, expect, it } from 'vitest'
import { issuePlace } from '../../../src/renderer/features/ship/customs/form'
import { createTranslator } from '../../../src/renderer/i18n/translator'

describe('the place of an issue in customs data', () => {
  const { t } = createTranslator('nl')

  it.each([
    ['sender', 'Afzender'],
    ['sender.country', 'Afzender'],
    ['items', 'minstens één artikel'],
    ['items.1.itemPrice', 'Prijs per stuk, artikel 2'],
    ['items.0.countryOfOrigin', 'Oorsprong, artikel 1'],
    ['invoiceDate', 'Factuurdatum'],
  ])('is named for the path %s: %s', (path, words) => {
    expect(issuePlace(t, path)).toBe(words)
  })

  it('uses the form’s name for fields of the consignee', () => {
    expect(issuePlace(t, 'recipient.country')).toBe(t('ship.groupConsignee'))
  })
})
