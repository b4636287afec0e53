import { describe, expect, it } from 'vitest'
import { noteText, remarksText } from '../../../src/renderer/i18n/texts'
import { createTranslator } from '../../../src/renderer/i18n/translator'
import { printerRemarkSchema, printNoteSchema, toEnglish } from '../../../src/shared/printerRemarks'

const words = {
  en: createTranslator('en').t,
  nl: createTranslator('nl').t,
}

describe('a printer’s remarks and notes', () => {
  it('are in the operator’s language', () => {
    const open = [{ code: 'head-open' as const }, { code: 'out-of-labels' as const }]
    expect(remarksText(words.en, open)).toBe('its head is open, it is out of labels')
    expect(remarksText(words.nl, open)).toBe('de printkop staat open, de labels zijn op')
    expect(toEnglish(open)).toBe(remarksText(words.en, open))
  })

  it('translate a system error code', () => {
    const says = [{ code: 'connection-broke' as const, words: 'write EPIPE' }]
    expect(remarksText(words.nl, says)).toBe('de verbinding brak af (de andere kant sloot de verbinding)')
    const refused = {
      code: 'trying-again' as const,
      says: [{ code: 'system-words' as const, words: 'ECONNREFUSED' }],
    }
    expect(noteText(words.nl, refused)).toMatch(/de verbinding wordt geweigerd/)
    expect(noteText(words.en, refused)).not.toContain('ECONNREFUSED')
  })

  it('keep unknown words unchanged and name their source', () => {
    const own = [{ code: 'own-words' as const, words: 'spool-area-full {{says}} $t(remarks.paused)' }]
    expect(remarksText(words.nl, own)).toBe('in eigen woorden: “spool-area-full {{says}} $t(remarks.paused)”')
    expect(noteText(words.nl, { code: 'printer-reports', says: own })).toContain(own[0]?.words)
    expect(toEnglish([{ code: 'own-words', words: '$& $1' }])).toBe('in its own words: “$& $1”')
  })

  it.each(printNoteSchema.shape.code.options)('form whole sentences for the note %s', (code) => {
    for (const t of [words.en, words.nl]) {
      for (const says of [[], [{ code: 'paused' as const }]]) {
        const text = noteText(t, { code, says, printer: 'Zebra' })
        expect(text).toMatch(/^\p{Lu}.*\.$/su)
        expect(text).not.toMatch(/\{\{|\(\)| {2}| [.,:]/)
      }
    }
    expect(noteText(words.nl, { code, says: [] })).not.toBe(noteText(words.en, { code, says: [] }))
  })

  it('have a Dutch translation for everything that the app knows', () => {
    const same = printerRemarkSchema.shape.code.options.filter(
      (code) => words.nl(`remarks.${code}`) === words.en(`remarks.${code}`),
    )
    expect(same).toEqual(['system-words'])
  })
})
