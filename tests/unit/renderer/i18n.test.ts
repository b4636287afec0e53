import { describe, expect, it } from 'vitest'
import { createTranslator } from '../../../src/renderer/locales'
import {
  countriesIn,
  countryMeant,
  countryName,
  findCountries,
} from '../../../src/renderer/locales/countryNames'
import { en } from '../../../src/renderer/locales/en'
import { errorText, reasonText, technicalDetail } from '../../../src/renderer/locales/errorText'
import { nl } from '../../../src/renderer/locales/nl'
import { appError, errorCodes } from '../../../src/shared/errors'
import { faultDetails, tooLarge } from '../../../src/shared/fileFaults'

/** Every text with its path. */
function textsOf(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => textsOf(inner, path === '' ? key : `${path}.${key}`))
}

function placeholdersOf(text: string): string[] {
  return [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? '').sort()
}

const english = textsOf(en)
const dutch = new Map(textsOf(nl))
/** The kind of a first print says nothing on purpose. */
const emptyOnPurpose = new Set(['states.jobKind.first'])

describe('texts', () => {
  it('have the same keys in both languages', () => {
    expect([...dutch.keys()].sort()).toEqual(english.map(([path]) => path).sort())
  })

  it('say something in both languages', () => {
    const silent = [...english, ...dutch].filter(([path, text]) => text === '' && !emptyOnPurpose.has(path))
    expect(silent).toEqual([])
  })

  it('have the same variable parts in both languages', () => {
    const different = english.filter(
      ([path, text]) => placeholdersOf(text).join() !== placeholdersOf(dutch.get(path) ?? '').join(),
    )
    expect(different).toEqual([])
  })
})

describe.each(['en', 'nl'] as const)('errors in %s', (language) => {
  const { t } = createTranslator(language)

  it.each(errorCodes)('words %s in one sentence without gaps', (code) => {
    const text = errorText(t, appError(code, 'message for the log'))
    expect(text).not.toBe('message for the log')
    expect(text).toMatch(/^\p{Lu}.*\.$/su)
    expect(text).not.toMatch(/\{\{|\}\}| {2}| [.,:]/)
  })

  it('puts the details into the sentence', () => {
    const failed = appError('printer-unreachable', 'x', { printer: 'Zebra bench 1' })
    expect(errorText(t, failed)).toContain('Zebra bench 1')
    const newer = appError('database-newer', 'x', { path: '/data/packbench.db' })
    expect(errorText(t, newer)).toContain('/data/packbench.db')
  })

  it('gives a reason once: in the sentence or apart from it', () => {
    const tooMuch = { file: 'lines.csv', ...faultDetails(tooLarge(100)) }
    const unreadable = appError('table-unreadable', 'x', tooMuch)
    expect(errorText(t, unreadable)).toContain('100 MB')
    expect(reasonText(t, unreadable)).toBeUndefined()
    const notSaved = appError('file-not-saved', 'x', { file: 'lines.csv', reason: 'ENOSPC' })
    expect(errorText(t, notSaved)).toContain(t('systemReasons.ENOSPC'))
    expect(reasonText(t, notSaved)).toBeUndefined()
    expect(reasonText(t, appError('printer-unreachable', 'x'))).toBeUndefined()
  })

  it('words what a system says, and gives its code as a technical detail only', () => {
    const said = 'connect EHOSTDOWN 192.0.2.10:9100'
    const unreachable = appError('printer-unreachable', 'x', { reason: said })
    expect(reasonText(t, unreachable)).toBe(t('systemReasons.EHOSTDOWN'))
    expect(technicalDetail(t, unreachable)).toBe(said)
    const refused = appError('service-unreachable', 'x', { reason: 'connection-refused' })
    expect(reasonText(t, refused)).toBe(t('systemReasons.connection-refused'))
    expect(technicalDetail(t, refused)).toBeUndefined()
    expect(reasonText(t, appError('internal', 'x', { reason: 'no words for this' }))).toBeUndefined()
    const full = appError('disk-full', 'x', { reason: "ENOSPC: no space left on device, open '/data/EPIPE'" })
    expect(reasonText(t, full)).toBe(t('systemReasons.ENOSPC'))
  })

  it('does not read what the service says as a template', () => {
    const error = appError('printer-unreachable', 'x', { printer: '$t(common.save) {{host}}' })
    expect(errorText(t, error)).toContain('$t(common.save) {{host}}')
  })
})

describe('countries', () => {
  const countries = countriesIn('nl')

  it('are found by code before name', () => {
    expect(findCountries(countries, 'be')[0]).toEqual({ code: 'BE', name: 'België' })
    expect(findCountries(countries, 'duits')[0]?.code).toBe('DE')
    expect(findCountries(countries, 'zzz')).toEqual([])
  })

  it('are taken from a typed code or a whole name, never from a guess', () => {
    expect(countryMeant(countries, 'nl')).toBe('NL')
    expect(countryMeant(countries, ' Duitsland ')).toBe('DE')
    expect(countryMeant(countries, 'Duits')).toBeUndefined()
  })

  it('have Northern Ireland among them, which goes by its own code for goods', () => {
    expect(countryMeant(countries, 'Noord-Ierland')).toBe('XI')
    expect(findCountries(countriesIn('en'), 'northern')[0]).toEqual({ code: 'XI', name: 'Northern Ireland' })
    expect(countryName('XI', 'nl')).toBe('Noord-Ierland')
    expect(countryName('NL', 'nl')).toBe('Nederland')
  })
})
