import type * as en from '../en'

export const tray: typeof en.tray = {
  open: 'Packbench openen',
  quit: 'Packbench afsluiten',
  cannotStart: 'Packbench kan niet beginnen: open het om te zien waarom',
}

export const quit: typeof en.quit = {
  question: 'Er staan labels nog niet op de schijf. Toch afsluiten?',
  detail:
    'Betaalde labels wachten in het geheugen, omdat de schijf ze niet aanneemt. Als Packbench nu afsluit, kunnen ze verloren gaan, en is de uitkomst van hun orders daarna onbekend. Blijft het open, dan slaat het ze op zodra de schijf het toelaat.',
  confirm: 'Afsluiten, ook als er labels verloren gaan',
}

export const restore: typeof en.restore = {
  button: 'Een kopie uit een map terugzetten …',
  question: 'De kopie van {{day}} uit {{folder}} terugzetten (zendingen: {{shipments}})?',
  newPlaces:
    'Haar instellingen brengen deze plaatsen mee. Kent u er een niet, zet de kopie dan niet terug: iemand kan haar veranderd hebben.',
  meaning: [
    'Haar database en instellingen komen in de plaats van die hier, die onder andere namen bewaard blijven. Labels komen erbij. Geen kopie bevat gebruikersnamen, wachtwoorden of de pincode. Verbind het account opnieuw op een andere computer. Had het station een pincode, dan blijft daar dicht wat die bewaakt, ook het account, tot een inrichtingsbestand de pincode instelt of weghaalt.',
    'Bewaking tegen dubbel verzenden: wat na de kopie is verzonden, wordt alleen bewaakt waar het label in de labelmap van deze computer staat. Op een andere computer wordt het niet bewaakt: verzend geen order opnieuw waaraan na de kopie is gewerkt.',
    'Manifesten: of een luchtvrachtbrief na de kopie is verstuurd, is onbekend. Vraag het de service voordat u er een verstuurt, ook als hij niet meer in de lijst staat.',
    'Orders: wat na de kopie in de lijst kwam, staat er niet meer in. Importeer hun bestanden opnieuw, ook die de importmap naar done heeft verplaatst.',
    'Het station waarvan de kopie is, mag niet meer verzenden: twee stations met één historie weten niets van elkaars zendingen. In een vloot maakt dit station niets aan tot het als nieuw station meedoet.',
    'Packbench start opnieuw.',
  ],
  restore: 'Terugzetten',
}

export const consent: typeof en.consent = {
  question: 'Mag Packbench deze plaats gebruiken?',
  advice:
    'Het gaat om namen en adressen, of om het wachtwoord van het account. Sta dit alleen toe als u het zojuist zelf hebt ingesteld.',
  allow: 'Toestaan',
  places: {
    printer: 'Labels van printer “{{printer}}” gaan naar',
    'printer-folder': 'Labels van printer “{{printer}}” gaan naar de map',
    'hot-folder': 'Orders komen uit, en hun resultaten gaan naar, de hot folder',
    'import-folder':
      'Orders worden geïmporteerd uit, en berichten over hun bestanden geschreven naar, de map',
    'printer-scan': 'Printers worden gezocht op',
    'label-host': 'Labels mogen opgehaald worden bij',
    service: 'De gebruikersnaam en het wachtwoord van het account gaan naar',
    scale: 'Pakketten worden gewogen op het USB-apparaat',
    fleet: 'Zendingen, adressen en labels worden gedeeld via de database',
    'backup-folder': 'Kopieën van zendingen, adressen, labels, manifesten en instellingen gaan naar de map',
    proxy: 'Alles wat wordt verstuurd gaat via de proxy',
    certificates: 'Servers met een certificaat van deze instantie worden vertrouwd',
    updates: 'Updates van Packbench worden gezocht bij',
    'weak-storage':
      'Zonder sleutelbos staat het wachtwoord waar iedereen die de bestanden van deze gebruiker kan lezen, het kan lezen',
  },
}

export const notifications: typeof en.notifications = {
  printer: 'Printer {{printer}} heeft u nodig',
  label: {
    failed: 'Het label van {{reference}} is niet afgedrukt.',
    unconfirmed: 'Het is niet bekend of het label van {{reference}} is afgedrukt.',
    waiting: 'Het label van {{reference}} wacht op uw keuze.',
    held: 'Het label van {{reference}} wacht bij de printer.',
  },
  invoice: {
    failed: 'De factuur voor {{reference}} is niet afgedrukt.',
    unconfirmed: 'Het is niet bekend of de factuur voor {{reference}} is afgedrukt.',
    waiting: 'De factuur voor {{reference}} wacht op uw keuze.',
    held: 'De factuur voor {{reference}} wacht bij de printer.',
  },
  parcel: 'Een pakket vraagt aandacht',
  parcels: '{{count}} pakketten vragen aandacht',
  parcelAlerts: {
    'not-found': 'niet bekend bij de service',
    silent: 'al dagen geen nieuws',
    status: 'de vervoerder meldt een uitzondering',
  },
  more: 'en nog {{count}}',
}
