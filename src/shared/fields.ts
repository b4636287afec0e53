import { z } from 'zod'
import { toNormalForm } from './foldText'

/** Maximum length of a field. The service states no limits; this one only catches accidents. */
const maxTextLength = 500

/** Control characters, line and paragraph separators, and lone surrogates, which can't be printed. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u

/** Invisible characters, such as zero-width spaces, soft hyphens and direction marks. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/**
 * Layout marks that copied text may contain. The two joiners are kept, because words in Persian and Indic scripts need them.
 */
const layoutMarks = /(?![\u200c\u200d])(?=\p{Default_Ignorable_Code_Point})\p{Cf}/gu

/**
 * Normalizes text to NFC, converts every kind of space to a plain one, and trims it. An order and its shipment have equal references only
 * after it.
 */
export function normalizeText(text: string): string {
  return toNormalForm(text, 'NFC')
    .replace(/\p{Zs}/gu, ' ')
    .trim()
}

/** One line of text: normalized, without layout marks and control characters, possibly empty. */
export const textSchema = z
  .string()
  .overwrite((text) => normalizeText(text.replace(layoutMarks, '')))
  .max(maxTextLength, { error: 'too-long' })
  .refine((text) => !unprintable.test(text), { error: 'control-character' })

/** Text that must not be empty. */
export const requiredTextSchema = textSchema.refine((text) => text.length > 0, { error: 'required' })

/**
 * The reference of a shipment. The duplicate guard compares references, so two that look equal must be equal. Invisible
 * characters are refused and not removed, because another program owns the reference.
 */
export const referenceSchema = z
  .string()
  .overwrite(normalizeText)
  .max(maxTextLength, { error: 'too-long' })
  .refine((text) => !unprintable.test(text) && !invisible.test(text), { error: 'control-character' })
  .refine((text) => text.length > 0, { error: 'required' })

/** A real two-letter country code in capitals. */
export const countryCodeSchema = z.string().refine(isCountryCode, { error: 'country' })

/** A language of the screens, of notifications and of invoices. */
export const languageSchema = z.enum(['en', 'nl'])
export type Language = z.infer<typeof languageSchema>

/**
 * The officially assigned ISO 3166-1 alpha-2 codes, plus XK (Kosovo), used by carriers, and XI (Northern Ireland), used by
 * customs for trade in goods with the EU.
 */
const allCountries =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR ' +
  'GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP ' +
  'KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT ' +
  'MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW ' +
  'SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ ' +
  'UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XI XK YE YT ZA ZM ZW'

/** All country codes in alphabetical order. */
export const countryCodes: readonly string[] = allCountries.split(' ')

const knownCountries = new Set(countryCodes)

/** Whether `code` is a real country code in capital letters. */
export function isCountryCode(code: string): boolean {
  return knownCountries.has(code)
}

/** Countries all of whose postal codes have five digits, some with a zero first. */
const fiveDigitCountries = new Set(['DE', 'ES', 'FI', 'FR', 'IT', 'US'])

/** Whether a postal code certainly lacks digits in its country, as «1067» for «01067» after a spreadsheet removed the zero. */
export function lacksDigits(postalCode: string, country: string): boolean {
  return fiveDigitCountries.has(country) && /^\d{1,4}(?:-\d{4})?$/.test(postalCode.trim())
}

/** The active currency codes of ISO 4217. Suggestions only. */
const allCurrencies =
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP ' +
  'CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ' +
  'ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT ' +
  'MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD ' +
  'SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES ' +
  'VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG'

/** All currency codes in alphabetical order. */
export const currencyCodes: readonly string[] = allCurrencies.split(' ')

const knownCurrencies = new Set(currencyCodes)

/** Whether `code` is a currency of ISO 4217 in capital letters. */
export function isCurrencyCode(code: string): boolean {
  return knownCurrencies.has(code)
}

/** Whether a host's name or address is this computer's own. */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)
}

/**
 * The URL of a link that may be opened in a browser: https, or http to a loopback address; otherwise null. The same rule
 * as for the service's address.
 */
export function toOpenableUrl(link: string | null): URL | null {
  if (link === null || !URL.canParse(link)) return null
  const url = new URL(link)
  if (url.protocol === 'https:') return url
  return url.protocol === 'http:' && isLoopbackHost(url.hostname) ? url : null
}

/** The host that a person is shown before a tracking link is opened; null when it can't be opened. */
export function findLinkHost(link: string | null): string | null {
  return toOpenableUrl(link)?.host ?? null
}

/** Reads a number that is typed in a form or stands in an order, with a decimal point or comma; NaN for anything else, including the empty text. */
export function readNumber(text: string): number {
  const plain = text.trim().replace(',', '.')
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : Number.NaN
}
