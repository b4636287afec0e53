import type * as en from '../en'

export const scanner: typeof en.scanner = {
  notices: {
    unknown:
      '{{code}} is gescand en niet gevonden: geen order, label of product van dit station. Er is niets veranderd. Zonder order verzenden: druk op F2 en scan het opnieuw.',
    'no-order': '{{code}} is gescand: geen order die nog verzonden moet worden heeft dit nummer.',
    'caps-lock':
      '{{code}} is gescand en niet gevonden, en Caps Lock staat aan: hoofdletters en kleine letters kunnen verwisseld zijn. Zet Caps Lock uit en scan opnieuw.',
    label:
      '{{code}} is gescand: dat is de barcode van een afgedrukt label, en geen order heeft dit nummer. Er is niets veranderd.',
    right: '{{code}} is het juiste label.',
    'label-first':
      'Scan eerst het label van {{code}}, of sla het over met een reden. Wat gescand is, wordt bewaard.',
    'no-command': 'Deze opdrachtbarcode betekent niets. Druk het blad opnieuw af.',
    'not-now': 'Dit kan nu niet.',
    'printer-gone':
      'De printer {{code}} van deze zending staat niet in de instellingen: de routering kiest de printer van het label.',
    'nothing-to-print':
      'Er is geen label van Verzenden of van een batch om opnieuw af te drukken. Druk andere opnieuw af in Historie.',
    'no-printer': 'Er is geen printer om te pauzeren.',
    reprinted: 'Het label van {{code}} wordt opnieuw afgedrukt.',
    option: 'Vervoerdersoptie: {{code}}',
    packages: 'Colli: {{code}}',
    paused:
      '{{code}} staat op pauze: wat wacht, wordt niet afgedrukt. Scan nog eens PAUZE om verder te gaan.',
    resumed: '{{code}} drukt weer af.',
  },
  group: 'Barcodescanner',
  intro:
    'Een scan wordt aan de snelheid van typen onderscheiden. Laat dit zo staan, tenzij er scans gemist worden.',
  prefix: 'Verzonden vóór elke code',
  prefixHint: 'Als dit is ingevuld, is alleen wat zo begint een scan.',
  suffix: 'Verzonden na elke code',
  sheetTitle: 'Opdrachten voor de scanner',
  commands: {
    ship: 'VERZENDEN',
    'reprint-last': 'LAATSTE OPNIEUW AFDRUKKEN',
    'next-option': 'VOLGENDE VERVOERDERSOPTIE',
    'add-package': 'COLLI +1',
    pause: 'PAUZE / VERDER',
    confirm: 'BEVESTIGEN',
  },
  sheetIntro: 'Barcodes voor aan de muur: wat de medewerker scant, gebeurt.',
  saveSheet: 'Opdrachtenblad opslaan',
  printSheet: 'Afdrukken op {{printer}}',
  sheetSaved: 'Opgeslagen als {{file}}',
  sheetTaken: 'Printer {{printer}} heeft de opdrachten aangenomen.',
  sheetNotTaken: 'Printer {{printer}} heeft de opdrachten niet op tijd aangenomen: kijk of hij klaar staat.',
  printOnScan: 'Afdrukken bij scannen',
  printOnScanHint: 'Een order waarvan niets ontbreekt, wordt aangemaakt en afgedrukt zodra hij gescand is.',
  affixIssue: 'Gebruik hoogstens 20 letters, cijfers en tekens zonder spaties.',
  maxGap: 'Langste pauze in een scan (ms)',
  minLength: 'Minimumaantal tekens van een scan',
  commandsOn: 'Opdrachtbarcodes',
  commandsOnHint: 'Staat dit uit, dan zijn de barcodes van het opdrachtenblad gewone codes zonder functie.',
  prefixesAlike:
    'Badges en opdrachtbarcodes mogen niet hetzelfde beginnen: de ene zou voor de andere aangezien worden.',
  commandPrefix: 'Opdrachtbarcodes beginnen met',
  commandPrefixHint: 'Iets waarmee geen ordernummer begint. Druk daarna het blad opnieuw af.',
  badgePrefix: 'Badges van medewerkers beginnen met',
}

export const scale: typeof en.scale = {
  title: 'Weegschaal',
  intro:
    'Een USB-weegschaal vult het gewicht in zodra hij stilstaat. Sluit hem aan, leg er niets op en kies hem. Een gewicht kan altijd getypt worden.',
  choose: 'Weegschaal kiezen',
  forget: 'Geen weegschaal gebruiken',
  none: 'Er wordt geen weegschaal gebruikt.',
  unnamed: 'Weegschaal zonder naam',
  missing: 'niet aangesloten',
  refused:
    'hij kan niet geopend worden. Sluit andere programma’s die hem gebruiken en sluit hem opnieuw aan.',
  silent: 'aangesloten; hij heeft nog niets gemeld',
  stable: '{{weight}} kg',
  shipped: '{{weight}} kg, misschien het verzonden pakket: haal het eraf',
  moving: 'weegt…',
  zero: 'leeg',
  negative: 'onder nul: haal alles eraf en zet hem op nul',
  overload: 'te zwaar belast: haal het pakket eraf',
  attention: 'hij meldt een storing: zet hem op nul of kalibreer hem',
  unreadable: 'zijn gewicht is niet te lezen: zet hem op kg, g, lb of oz',
  use: '{{weight}} kg overnemen',
  question: 'Op welke weegschaal worden pakketten gewogen?',
}
