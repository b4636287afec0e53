import { describe, expect, it } from 'vitest'
import * as en from '../../../src/locales/en'
import * as nl from '../../../src/locales/nl'
import {
  countryName,
  findCountries,
  findExactCountry,
  listCountries,
} from '../../../src/renderer/i18n/countryNames'
import { formatMoment } from '../../../src/renderer/i18n/format'
import { errorText, noticeText, reasonText, technicalDetail } from '../../../src/renderer/i18n/texts'
import { createTranslator } from '../../../src/renderer/i18n/translator'
import { appError, appErrorSchema, errorSentences } from '../../../src/shared/errors'
import { issueDetails, tooLarge } from '../../../src/shared/inputIssues'

/** All texts by path. */
function toTexts(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => toTexts(inner, path === '' ? key : `${path}.${key}`))
}

function getPlaceholders(text: string): string[] {
  return [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? '').sort()
}

const english = toTexts(en)
const dutch = new Map(toTexts(nl))
/** The kind of a first print is intentionally empty. */
const emptyOnPurpose = new Set(['states.jobKind.first'])

describe('texts', () => {
  it('have the same keys in both languages', () => {
    expect([...dutch.keys()].sort()).toEqual(english.map(([path]) => path).sort())
  })

  it('are not empty in either language', () => {
    const silent = [...english, ...dutch].filter(([path, text]) => text === '' && !emptyOnPurpose.has(path))
    expect(silent).toEqual([])
  })

  it('have the same placeholders in both languages', () => {
    const different = english.filter(
      ([path, text]) => getPlaceholders(text).join() !== getPlaceholders(dutch.get(path) ?? '').join(),
    )
    expect(different).toEqual([])
  })

  it('of errors count no noun in the plural, which would be wrong for one', () => {
    const counting = [...english, ...dutch].filter(
      ([path, text]) => path.startsWith('errors.') && /\{\{count\}\} \p{L}+(s|en)\b/u.test(text),
    )
    expect(counting).toEqual([])
  })
})

/** All sentences of each code, by the details that select them. */
const sentences = Object.entries(errorSentences).flatMap(([code, words]) =>
  typeof words === 'string'
    ? [{ code, details: {} }]
    : Object.keys(words).map((key) => ({ code, details: { case: key } })),
)

describe.each(['en', 'nl'] as const)('errors in %s', (language) => {
  const { t } = createTranslator(language)

  it('show timestamps in the operator’s format and time zone', () => {
    const takenAt = '2026-11-22T08:15:00.000Z'
    const duplicate = appError('shipment-duplicate', { reference: 'ORDER-1', takenAt, barcodes: '3S1' })
    const text = errorText(t, duplicate)
    expect(text).toContain(formatMoment(takenAt, language))
    expect(text).not.toContain(takenAt)
  })

  it.each([
    ['Anna', '3S1', 'Anna; 3S1'],
    ['', '3S1', '3S1'],
    ['Anna', '', 'Anna'],
    ['', '', ''],
  ])(
    'about another station’s shipment name what is known: operator «%s», barcodes «%s»',
    (operator, barcodes, rest) => {
      const takenAt = '2026-11-22T08:15:00.000Z'
      const moment = formatMoment(takenAt, language)
      const details = {
        case: 'elsewhere',
        reference: 'R',
        station: 'B',
        takenAt,
        operator,
        barcodes,
      } as const
      const inBrackets = (code: 'shipment-duplicate' | 'shipment-unsettled' | 'shipment-in-progress') =>
        /\((.*)\)/.exec(errorText(t, appError(code, details)))?.[1]
      const withOperator = [moment, operator].filter(Boolean).join(', ')
      expect(inBrackets('shipment-unsettled')).toBe(withOperator)
      expect(inBrackets('shipment-in-progress')).toMatch(new RegExp(` ${withOperator}$`))
      expect(inBrackets('shipment-duplicate')).toBe([moment, rest].filter(Boolean).join(', '))
    },
  )

  it.each(sentences)('have a complete sentence for $code $details.case', ({ code, details }) => {
    const error = appErrorSchema.parse({ code, details, message: 'message for the log' })
    const text = errorText(t, error)
    expect(text).not.toBe('message for the log')
    expect(text).toMatch(/^\p{Lu}.*\.$/su)
    expect(text).not.toMatch(/\{\{|\}\}|\(\)| {2}| [.,:]/)
  })

  it('insert the details into the sentence', () => {
    const failed = appError('printer-unreachable', { printer: 'Zebra bench 1' })
    expect(errorText(t, failed)).toContain('Zebra bench 1')
    const newer = appError('database-newer', { path: '/data/packbench.db' })
    expect(errorText(t, newer)).toContain('/data/packbench.db')
  })

  it('give a reason once: in the sentence or separately', () => {
    const tooMuch = { file: 'lines.csv', ...issueDetails(tooLarge(100)) }
    const unreadable = appError('table-unreadable', tooMuch)
    expect(errorText(t, unreadable)).toContain('100 MB')
    expect(reasonText(t, unreadable)).toBeUndefined()
    const notSaved = appError('file-not-saved', { file: 'lines.csv', reason: 'ENOSPC' })
    expect(errorText(t, notSaved)).toContain(t('systemReasons.ENOSPC'))
    expect(reasonText(t, notSaved)).toBeUndefined()
    expect(reasonText(t, appError('printer-unreachable'))).toBeUndefined()
  })

  it('translate a system error, and show its code as a technical detail only', () => {
    const said = 'connect EHOSTDOWN 192.0.2.10:9100'
    const unreachable = appError('printer-unreachable', { reason: said })
    expect(reasonText(t, unreachable)).toBe(t('systemReasons.EHOSTDOWN'))
    expect(technicalDetail(t, unreachable)).toBe(said)
    const refused = appError('service-unreachable', { reason: 'connection-refused' })
    expect(reasonText(t, refused)).toBe(t('systemReasons.connection-refused'))
    expect(technicalDetail(t, refused)).toBeUndefined()
    expect(reasonText(t, appError('internal', { reason: 'no words for this' }))).toBeUndefined()
    const full = appError('disk-full', { reason: "ENOSPC: no space left on device, open '/data/EPIPE'" })
    expect(reasonText(t, full)).toBe(t('systemReasons.ENOSPC'))
  })

  it('do not interpret the service’s message as a template', () => {
    const error = appError('printer-unreachable', { printer: '$t(common.save) {{host}}' })
    expect(errorText(t, error)).toContain('$t(common.save) {{host}}')
  })
})

describe('the message of an error', () => {
  it('is the English sentence of the screen, followed by the known reason', () => {
    const { t } = createTranslator('en')
    const refused = appError('service-refused', { status: '422', serviceSays: 'Unknown street' })
    expect(refused.message).toBe(`${errorText(t, refused)} The service says: “Unknown street”`)
    const unreachable = appError('service-unreachable', { host: 'carrier', reason: 'connection-refused' })
    expect(unreachable.message).toBe(`${errorText(t, unreachable)} Reason: the connection is refused.`)
    const silent = appError('print-unconfirmed', { printer: 'Zebra' }, [{ code: 'head-open' }])
    expect(silent.message).toBe(`${errorText(t, silent)} Reason: its head is open.`)
  })

  it('includes the system’s own error code', () => {
    const { message } = appError('journal-not-written', { reason: 'ENOSPC: no space left on device' })
    expect(message).toMatch(/Reason: the disk is full \(ENOSPC: no space left on device\)\.$/)
  })

  it('uses the sentence of the error’s case', () => {
    const { t } = createTranslator('en')
    const waiting = appError('label-not-fetched', { case: 'no-room', reference: 'ORDER-1' })
    expect(waiting.message).toBe(
      'The label of ORDER-1 waits for room on the disk: make room and fetch it in History.',
    )
    expect(errorText(t, waiting)).toBe(waiting.message)
    expect(appError('base-url-not-allowed', { reason: 'query' }).message).toContain('must not contain “?”')
  })
})

describe('the notice of a copy of the station that failed', () => {
  const { t } = createTranslator('nl')
  const path = '/share'

  it.each([
    [{ case: 'not-ended' as const, path }, /^De kopie naar \/share is na een dag nog niet klaar\./],
    [{ case: 'other-station' as const, path, station: 'S2' }, /van een ander station \(S2\)\. Kies /],
    [{ path, reason: 'ENOSPC' }, /^In \/share kon geen reservekopie worden gemaakt: /],
  ])('names the cause and what to do (%o)', (details, sentence) => {
    const { message } = appError('backup-failed', details)
    expect(noticeText(t, { code: 'backup-failed', message, details })).toMatch(sentence)
  })
})

describe('countries', () => {
  const countries = listCountries('nl')

  it('are found by code before name', () => {
    expect(findCountries(countries, 'be')[0]).toEqual({ code: 'BE', name: 'België' })
    expect(findCountries(countries, 'duits')[0]?.code).toBe('DE')
    expect(findCountries(countries, 'zzz')).toEqual([])
  })

  it('are accepted from a code or a whole name only, never from a part of a name', () => {
    expect(findExactCountry(countries, 'nl')).toBe('NL')
    expect(findExactCountry(countries, ' Duitsland ')).toBe('DE')
    expect(findExactCountry(countries, 'Duits')).toBeUndefined()
  })

  it('include Northern Ireland, which has its own code in the trade of goods', () => {
    expect(findExactCountry(countries, 'Noord-Ierland')).toBe('XI')
    expect(findCountries(listCountries('en'), 'northern')[0]).toEqual({
      code: 'XI',
      name: 'Northern Ireland',
    })
    expect(countryName('XI', 'nl')).toBe('Noord-Ierland')
    expect(countryName('NL', 'nl')).toBe('Nederland')
  })
})
