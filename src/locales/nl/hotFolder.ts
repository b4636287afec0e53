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
  isAbsent: 'Ik heb het de service gevraagd: deze zending bestaat daar niet',
  sendHint:
    'De zending gaat als eigen bestand in de hot folder. Het oorspronkelijke bestand houdt zijn resultaat.',
  send: 'Opnieuw verzenden',
  leftOut: 'Het bestand zegt ook dit, onder onbekende namen. Het wordt weggelaten:',
  inHistory: 'Afhandelen in Historie',
  unknownHint:
    'Vraag de service of de zending bestaat. Bestaat ze niet, dan kan ze opnieuw verzonden worden.',
  openFolder: 'De map openen',
  close: 'Afsluiten met een notitie',
  closeNote: 'Wat is eraan gedaan?',
  closeNow: 'Dit probleem afsluiten',
  closedAt: 'Afgesloten {{moment}}',
  sentAs: 'Opnieuw verzonden als {{file}}',
  ended: 'De order is verzonden.',
}
