import type * as en from '../en'

export const hotFolder: typeof en.hotFolder = {
  lists: 'Lijsten met problemen',
  open: 'Open problemen',
  closed: 'Afgesloten',
  list: 'Problemen van de lijst',
  none: 'Er staat geen probleem open',
  noneHint: 'Elk orderbestand is verzonden of wordt verwerkt.',
  noneClosed: 'Er is nog geen probleem afgesloten',
  noneClosedHint: 'Wat u afsluit of opnieuw verzendt, komt hier te staan.',
  more_one: 'Nog {{count}} wordt niet getoond: sluit er eerst enkele af.',
  more_other: 'Nog {{count}} worden niet getoond: sluit er eerst enkele af.',
  one: 'Probleem',
  line: '{{file}}, zending {{line}}',
  kind: {
    invalid: 'Onbruikbaar',
    refused: 'Geweigerd',
    unknown: 'Onbekend',
    ignored: 'Niet aangenomen',
  },
  sendAgain: 'Verbeteren en opnieuw verzenden',
  isAbsent: 'Ik heb bij de vervoerder gekeken: deze zending bestaat daar niet',
  sendHint:
    'De zending gaat als eigen bestand in de hot folder. Het oorspronkelijke bestand houdt zijn resultaat.',
  send: 'Opnieuw verzenden',
  leftOut: 'Het bestand zegt ook dit, onder onbekende namen. Het wordt weggelaten:',
  inHistory: 'Afhandelen in Historie',
  unknownHint:
    'Zoek bij de vervoerder uit of de zending bestaat. Zo niet, dan kan ze opnieuw verzonden worden.',
  openFolder: 'De map openen',
  close: 'Afsluiten met een notitie',
  closeNote: 'Wat is eraan gedaan?',
  closeNow: 'Dit probleem afsluiten',
  closedAt: 'Afgesloten {{moment}}',
  sentAs: 'Opnieuw verzonden als {{file}}',
  ended: 'De order is verzonden.',
}

export const orderFileIssues: typeof en.orderFileIssues = {
  'not-utf8': 'het is niet in UTF-8; sla het in die codering op',
  empty: 'het is leeg',
  'no-shipment': 'er staat geen zending in',
  'too-large': 'het is groter dan 20 MB; splits het',
  'too-many': 'er staan {{count}} zendingen in, meer dan {{max}}; splits het',
  'no-json': 'het is geen bruikbare JSON (regel {{jsonLine}}, kolom {{jsonColumn}}: {{json}})',
  'ends-early': 'de tekst houdt te vroeg op; {{json}}',
  'open-quotes':
    'de aanhalingstekens bij regel {{textLine}} zijn niet gesloten of staan midden in een waarde; verdubbel een aanhalingsteken dat zo bedoeld is',
  'unnamed-column': 'kolom {{column}} van de kopregel heeft geen naam',
  'column-twice': 'de kopregel noemt de kolom “{{column}}” twee keer',
  'column-missing': 'de kolom “{{column}}”, die de koppeling noemt, ontbreekt',
  'row-width': 'de rij heeft {{values}} waarden en de kopregel noemt {{columns}} kolommen',
  'not-keepable': 'een waarde is langer dan de orderlijst kan bewaren',
}

export const jsonIssues: typeof en.jsonIssues = {
  value: 'hier hoort een waarde',
  'value or ]': 'hier hoort een waarde of ]',
  key: 'hier hoort een naam tussen dubbele aanhalingstekens (voor } staat geen komma)',
  'key or }': 'hier hoort een naam tussen dubbele aanhalingstekens of }',
  ':': 'hier hoort een dubbele punt',
  ', or ]': 'hier hoort een komma of ]',
  ', or }': 'hier hoort een komma of }',
  end: 'hier hoort niets meer',
  'open-quotes': 'de tekst tussen aanhalingstekens houdt niet op',
  'control-character': 'tekst tussen aanhalingstekens kan geen nieuwe regel, tab of stuurteken bevatten',
  backslash: 'schrijf \\\\ voor een backslash (ook in Windows-paden)',
  'too-deep': 'er mogen niet meer dan 100 haken in elkaar staan',
  'name-twice': 'de naam {{name}} staat twee keer in hetzelfde object',
}
