/** Members of the customs union of the EU, Monaco, and Northern Ireland (XI), which belongs to it for goods. */
const unionCountries = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MC MT NL PL PT RO SE SI SK XI'.split(' '),
)

/** Places whose customs or tax area is not that of their country. */
export type SpecialPlace =
  | 'canary-islands'
  | 'ceuta-melilla'
  | 'livigno'
  | 'heligoland'
  | 'buesingen'
  | 'aland'
  | 'french-overseas'
  | 'mount-athos'
  | 'northern-ireland'
  | 'campione'

interface Special {
  place: SpecialPlace
  country: string
  postalCode: RegExp
}

const specials: readonly Special[] = [
  { place: 'canary-islands', country: 'ES', postalCode: /^(?:35|38)\d{3}$/ },
  { place: 'ceuta-melilla', country: 'ES', postalCode: /^(?:51|52)\d{3}$/ },
  { place: 'livigno', country: 'IT', postalCode: /^23041$/ },
  { place: 'campione', country: 'IT', postalCode: /^22061$/ },
  { place: 'heligoland', country: 'DE', postalCode: /^27498$/ },
  { place: 'buesingen', country: 'DE', postalCode: /^78266$/ },
  { place: 'aland', country: 'FI', postalCode: /^22\d{3}$/ },
  { place: 'french-overseas', country: 'FR', postalCode: /^9[78]\d{3}$/ },
  { place: 'mount-athos', country: 'GR', postalCode: /^6308[67]$/ },
  { place: 'northern-ireland', country: 'GB', postalCode: /^BT\d/i },
]

/** Whether customs data are suggested, and the special place that a person has to think of. Advice only. */
export interface CustomsSuggestion {
  suggested: boolean
  place: SpecialPlace | null
}

/** What the app suggests for a parcel from one country to a place. Unknown countries suggest nothing. */
export function suggestCustoms(from: string, to: { country: string; postalCode: string }): CustomsSuggestion {
  if (from === '' || to.country === '') return { suggested: false, place: null }
  const code = to.postalCode.replace(/[\s-]/g, '')
  const special = specials.find((each) => each.country === to.country && each.postalCode.test(code))
  const sameArea = from === to.country || (unionCountries.has(from) && unionCountries.has(to.country))
  // Goods from the union go to Northern Ireland as inside it, and it is not known what a carrier asks for: a person decides.
  if (special?.place === 'northern-ireland') return { suggested: false, place: special.place }
  return { suggested: special !== undefined || !sameArea, place: special?.place ?? null }
}

/** Delivery terms of Incoterms 2020, those for any transport first. Offered, never demanded. */
export const incoterms: readonly string[] = 'DAP DDP DPU EXW FCA CPT CIP FAS FOB CFR CIF'.split(' ')
