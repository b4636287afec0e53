import type * as en from '../en'

export const labelStates: typeof en.labelStates = {
  creating: 'Bezig',
  refused: 'Geweigerd',
  unknown: 'Uitkomst onbekend',
  exists: 'Afgehandeld: bestaat',
  'does-not-exist': 'Afgehandeld: bestaat niet',
  out: 'Label is eruit',
  printing: 'Wordt afgedrukt…',
  waiting: 'Label wacht',
  'to-come': 'Label komt nog',
  'no-label': 'Geen label',
  'not-printed': 'Niet afgedrukt',
  closed: 'Geen label, gesloten',
  dismissed: 'Gesloten',
  'not-wanted': 'Label bewaard',
}

export const labelReasons: typeof en.labelReasons = {
  paused: 'hij staat op pauze',
  look: 'kijk of het label eruit is gekomen',
  failed: 'hij nam het label niet aan',
  noPrinter: 'Geen printer nam het label aan: druk het hier af.',
  cancelled: 'Het afdrukken is geannuleerd: druk opnieuw af als het nodig is.',
  toCome: 'Het label is er nog niet.',
  noLabel: 'De service gaf geen label dat afgedrukt kan worden.',
  closed: 'Gesloten: {{reason}}',
  notWanted: 'Het label is bewaard. Om afdrukken is niet gevraagd.',
}

export const jobErrors: typeof en.jobErrors = {
  'printer-unreachable': 'hij antwoordt niet',
  'printer-stopped': 'hij is gestopt',
  'printer-not-ready': 'hij is niet gereed',
  'printer-not-found': 'hij staat niet meer in de instellingen',
  'label-needs-placement': 'kies welk deel wordt afgedrukt',
  'zpl-needs-consent': 'het label vraagt uw toestemming',
  'label-loses-content': 'van het label zou iets verloren gaan',
  'label-unreadable': 'het label is niet te lezen',
  'label-needs-password': 'de PDF opent alleen met een wachtwoord',
  'label-missing': 'het bestand van het label ontbreekt',
  'stock-not-supported': 'hij heeft geen labels van dit formaat',
  'labels-past-sheet-edge': 'zijn labels steken over de rand van het vel',
  'darkness-not-supported': 'de wachtrij kent de ingestelde zwarting niet',
  'speed-not-supported': 'de wachtrij kent de ingestelde snelheid niet',
  'setting-needs-language': 'het stuurprogramma kent niet alles wat is ingesteld',
  'printer-takes-no-zpl': 'hij neemt geen ZPL aan',
  'label-in-other-language': 'hij leest geen ZPL',
  'disk-full': 'de schijf is vol',
  'folder-not-writable': 'in zijn map kan niet worden geschreven',
}

export const closeLabel: typeof en.closeLabel = {
  open: 'Dit probleem sluiten…',
  title: 'Sluiten zonder label',
  explain:
    'Referentie {{reference}} telt dan niet meer als open probleem. Geef aan hoe het pakket aan zijn label komt, of waarom het er geen nodig heeft.',
  reason: 'Reden',
  save: 'Probleem sluiten',
}

export const compare: typeof en.compare = {
  title: 'Vergelijk met het pakket',
  consignee: 'Ontvanger',
  weight: 'Gewicht',
  weightOf: '{{weight}} kg',
  packagesOf: '{{packages}} colli van {{weight}} kg',
}
