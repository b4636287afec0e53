import type { Texts } from '../en'

export const scanner: Texts['scanner'] = {
  notices: {
    unknown: '{{code}} is geen order, label of product van dit station. Er is niets veranderd.',
    right: '{{code}} is het juiste label.',
  },
  group: 'Barcodescanner',
  intro:
    'Een scan wordt aan de snelheid van typen onderscheiden. Laat dit zo staan, tenzij er scans gemist worden.',
  prefix: 'Verzonden vóór elke code',
  prefixHint: 'Dan is alleen wat zo begint een scan.',
  suffix: 'Verzonden na elke code, vóór Enter of Tab',
  affixIssue: 'Gebruik hoogstens 20 letters, cijfers en tekens zonder spaties.',
  maxGap: 'Langste tijd tussen twee tekens (ms)',
  minLength: 'Minste tekens van een scan',
  badgePrefix: 'Badges van inpakkers beginnen met',
}
