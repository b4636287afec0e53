import { describe, expect, it } from 'vitest'
import { printableText } from '../../../src/simulator/printableText'

describe('printableText', () => {
  it.each([
    ['Zoë Åkergränd 5 ß', 'Zoë Åkergränd 5 ß'],
    ['€ 5 “quoted” – Šibenik', '€ 5 “quoted” – Šibenik'],
    ['Łódź', 'Lódz'],
    ['Gheorghe Țîrlea', 'Gheorghe Tîrlea'],
    ['Щербаков Юрий', 'Shcherbakov Yuriy'],
    ['Αθήνα', 'Athina'],
    ['ﬁne ①', 'fine 1'],
    ['王', '?'],
    ['a\r\nb\u0007c', 'a b c'],
    ['e\u0301', 'é'],
    ['zero\u200bwidth', 'zerowidth'],
  ])('shows %j as %j', (text, shown) => {
    expect(printableText(text)).toBe(shown)
  })
})
