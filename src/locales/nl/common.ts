import type * as en from '../en'

/** Words that many screens share. */
export const common: typeof en.common = {
  /** The language's ISO 639-1 code. */
  languageCode: 'nl',
  appName: 'Packbench',
  loading: 'Een ogenblik…',
  all: 'Alle',
  /** How a day is written in figures. */
  dayForm: 'dd-mm-jjjj',
  cancel: 'Annuleren',
  zoom: '{{percent}} %',
  close: 'Sluiten',
  save: 'Opslaan',
  discard: 'Wijzigingen weggooien',
  tryAgain: 'Opnieuw proberen',
  copy: '{{what}} kopiëren',
  copied: 'Gekopieerd',
  none: '—',
  yes: 'Ja',
  no: 'Nee',
  dismiss: 'Melding sluiten',
  serviceSays: 'De service zegt',
  screenFailed: 'Dit scherm kon niet worden getoond',
  screenFailedWayOn:
    'De andere schermen werken nog, en wat daar is ingevuld, blijft staan. Probeer het opnieuw. Blijft dit zo, sla dan de diagnose op en start Packbench opnieuw.',
  reasonNeeded: 'Typ een reden.',
  saveDiagnostics: 'Diagnose opslaan',
  diagnosticsSaved: 'De diagnose is opgeslagen als {{path}}.',
  technical: 'Technische details',
  reason: 'Gemelde reden',
  saveCsv: 'Bewaren als CSV',
  saveXlsx: 'Bewaren als XLSX',
  testConnection: 'Verbinding testen',
  showPassword: 'Wachtwoord tonen',
}

export const nav: typeof en.nav = {
  label: 'Hoofdmenu',
  ship: 'Verzenden',
  orders: 'Orders',
  hotFolder: 'Hot folder',
  track: 'Volgen',
  history: 'Historie',
  queue: 'Wachtrij',
  manifests: 'Manifesten',
  settings: 'Instellingen',
  soundOn: 'Geluid aan',
  soundOff: 'Geluid uit',
  soundOnHint: 'Geluid staat aan. Zet het uit.',
  soundOffHint: 'Geluid staat uit. Zet het aan.',
  help: 'Hulp',
  helpHint: 'Handleidingen en sneltoetsen (F1)',
}

export const shortcuts: typeof en.shortcuts = {
  title: 'Sneltoetsen',
  reprintLast: 'Laatste label opnieuw afdrukken',
  focusReference: 'Naar de referentie',
  operator: 'Aanmelden, wisselen, afmelden',
  next: 'Volgend veld; de Enter van een scanner verstuurt niet uit zichzelf',
  screens: 'Verzenden, Volgen, Historie, Wachtrij, Manifesten, Instellingen',
  zoom: 'Groter, kleiner, gewone grootte',
  help: 'Deze hulp',
  list: 'Door de lijst in Historie lopen',
}

export const statusBar: typeof en.statusBar = {
  label: 'Toestand van het station',
  demo: 'DEMO — simulator',
  demoHint: 'De ingebouwde simulator antwoordt op {{url}}; er wordt niets echt verzonden.',
  serviceReachable: 'Service OK',
  serviceUnreachable: 'Service niet bereikbaar',
  serviceNotTried: 'Service nog niet geprobeerd',
  accountNone: 'Geen account',
  accountLocked: 'Account vergrendeld',
  accountNotConnected: 'Niet verbonden',
  noPrinter: 'Geen printer ingesteld',
  printerReady: '{{printer}}: gereed',
  printerBusy: '{{printer}}: drukt af',
  printerError: '{{printer}}: storing',
  printerUnknown: '{{printer}}: toestand onbekend',
  printerPaused: '{{printer}}: gepauzeerd',
  morePrinters_one: '+{{count}} printer',
  morePrinters_other: '+{{count}} printers',
  waiting: '{{count}} in wachtrij',
  hotFolderError: 'Hot folder: storing',
  hotFolderHint: 'De problemen van de hot folder tonen',
  hotFolderIssues_one: 'Hot folder: {{count}} probleem',
  hotFolderIssues_other: 'Hot folder: {{count}} problemen',
  hotFolderProblems_one: '{{count}} probleem',
  hotFolderProblems_other: '{{count}} problemen',
  hotFolderFiles_one: '{{count}} bestand',
  hotFolderFiles_other: '{{count}} bestanden',
  noProblems: 'Geen open problemen',
  problems_one: '{{count}} open probleem',
  problems_other: '{{count}} open problemen',
  problemsHint: {
    history: 'Toon in Historie wat aandacht vraagt',
    manifests: 'Toon in Manifesten de vrachtbrieven met een onbekende uitkomst',
  },
}

export const notices: typeof en.notices = {
  label: 'Meldingen',
  'provisioning-holds-secrets':
    'Het inrichtingsbestand bevat de gebruikersnaam, het wachtwoord of de pincode in leesbare tekst. Verwijder het bestand of noem er omgevingsvariabelen in.',
  'station-file-holds-secrets':
    'Het stationsbestand {{path}} bevat de gebruikersnaam, een wachtwoord of de pincode in leesbare tekst: iedereen die het bestand kan lezen, kan ze lezen. Noem er omgevingsvariabelen in. Verwijder het niet: zonder sleutelbos haalt een station er bij elke start zijn account uit.',
  'provisioning-failed':
    'Het inrichtingsbestand {{path}} is niet of maar deels toegepast: {{reason}}. Verhelp de oorzaak en start Packbench opnieuw met het bestand.',
  'credentials-in-memory':
    'Deze computer heeft geen sleutelbos: de inloggegevens blijven in het geheugen en moeten na het sluiten van de app opnieuw worden ingetypt.',
  'credentials-not-stored':
    'De sleutelbos is vergrendeld: de inloggegevens blijven in het geheugen tot hij wordt ontgrendeld, en moeten opnieuw worden ingetypt als de app eerder sluit. Ontgrendel hem bij Instellingen, Account.',
  'weak-storage':
    'De inloggegevens zijn zwak beveiligd opgeslagen, omdat deze computer geen sleutelbos heeft en de instellingen het toestaan.',
  'weak-password':
    'Het wachtwoord van het account is kort of een gewoon woord. Packbench kan het niet van andere tekst onderscheiden, dus een melding van de service die het aanhaalt kan het tonen. Kies bij de service een langer wachtwoord met letters en cijfers.',
  'recovered-shipments':
    'De app is de vorige keer afgebroken terwijl er labels onderweg waren: er is niets opnieuw verstuurd. Zendingen die vanaf de schijf zijn afgemaakt: {{count}}.',
  'ended-unexpectedly':
    'Packbench of de computer is de vorige keer afgebroken (het liep sinds {{since}}); er is niets opnieuw verstuurd. Zendingen onderweg: {{shipments}}, afgemaakt vanaf de schijf: {{finished}}, uitkomst onbekend: {{unknown}}. Labels die werden afgedrukt: {{jobs}}.',
  'window-failed':
    'Het venster liep vast en is opnieuw geopend. Wat bij Verzenden was ingevuld is terug; er is niets dubbel verstuurd.',
  'clock-not-plausible':
    'De klok van de computer staat op {{now}}, maar de laatst bekende tijd is {{lastKnown}}. Er worden geen oude zendingen verwijderd tot de klok weer aannemelijk is: zet de klok goed, of bevestig dat hij klopt.',
  clockIsRight: 'De klok klopt',
  'labels-waiting':
    'Labels wachten in het geheugen ({{count}}): {{reason}}. Sluit Packbench niet af: het slaat ze op zodra de schijf het toelaat. Tot dan wordt er niets verzonden.',
  'labels-not-writable':
    'Packbench kan niet schrijven in de labelmap {{path}}: {{reason}}. Er wordt niets verzonden totdat het weer kan; dat gaat vanzelf.',
  'settings-newer':
    'settings.json is door een nieuwere Packbench geschreven (instellingenversie {{version}}). Het wordt gebruikt voor zover deze versie het kent, en er wordt niets uit verwijderd. Werk Packbench bij.',
  'settings-keys-unknown':
    'settings.json bevat sleutels die deze versie niet kent: {{keys}}. Ze blijven bewaard en hebben geen effect. Werk Packbench bij, of verbeter hun namen.',
  'order-import-stopped':
    'Uit de map {{path}} kunnen geen orders geïmporteerd worden: {{reason}}. Bestanden wachten daar tot dat weer kan.',
  'station-file-untrusted':
    'Het stationsbestand {{path}} is niet gebruikt: {{reason}}, dus anderen dan beheerders kunnen het geschreven hebben. Er is niets van toegepast. Laat het bestand en zijn map van beheerders zijn, en alleen door hen te schrijven.',
  'station-file-unreadable':
    'Het stationsbestand {{path}} kan niet gelezen worden: {{reason}}. Er is niets van toegepast. Laat iedere gebruiker van het station het lezen.',
  'station-file-invalid':
    'Het stationsbestand {{path}} is niet toegepast: {{reason}}. Verbeter het; het wordt bij de volgende start gelezen.',
  'station-file-not-noted':
    'Het stationsbestand {{path}} is toegepast, maar dat kon niet worden vastgelegd: {{reason}}. Het wordt bij de volgende start opnieuw toegepast, over wat tot dan gewijzigd wordt. Laat Packbench station-file.json in zijn gegevensmap schrijven.',
  'start-incomplete':
    'Het station werkt, maar de start is niet voltooid: {{reason}}. Wat het inrichtingsbestand instelt, is mogelijk niet toegepast. Start Packbench opnieuw.',
  'unofficial-runtime':
    'Dit is een onofficiële versie van Electron, alleen voor de demo en de tests: typ hier nooit echte gegevens.',
}

export const startError: typeof en.startError = {
  title: 'Packbench kan niet beginnen',
  updating: 'Packbench maakt zich klaar na een update',
  concerns: 'Bestand of map waar het om gaat',
  wayOn: 'Wat u kunt doen',
  nothingChanged: 'Er is niets gewijzigd of verwijderd.',
  triesAgain: 'Packbench probeert het vanzelf opnieuw.',
  openDataFolder: 'Gegevensmap openen',
  setAside: 'Dat bestand apart bewaren en met standaardinstellingen beginnen',
  setAsideTitle: 'Met standaardinstellingen beginnen?',
  setAsideQuestion:
    'Dit station heeft dan geen vervoerders, printers, regels en mensen meer totdat iemand ze opnieuw instelt. Hoort het bij een vloot, dan maakt het geen zendingen aan totdat de database van de vloot weer is ingevuld onder Instellingen, Vloot. De historie blijft tien jaar bewaard totdat iemand instelt hoe lang.',
  setAsideConfirm: 'Met standaardinstellingen beginnen',
  stillThere: 'Het is nog niet in orde. Zie hierboven.',
  wayOnByCode: {
    settings:
      'Verbeter het bestand en probeer het opnieuw, of bewaar het apart onder een andere naam en begin met standaardinstellingen.',
    database:
      'Installeer de nieuwere Packbench of zet een kopie van de database terug, en probeer het opnieuw.',
    damaged:
      'Zet de nieuwste reservekopie terug, of bouw de historie opnieuw op uit de labelmap. Wat sinds de kopie verzonden is, wordt uit de labelmap aangevuld, maar orders die sindsdien kwamen niet: importeer hun bestanden opnieuw. Het beschadigde bestand blijft apart bewaard.',
    checking: 'Wacht tot de controle klaar is.',
    disk: 'Maak ruimte vrij op de schijf met de gegevensmap en probeer het opnieuw.',
    folder: 'Geef deze gebruiker het recht om in de gegevensmap te schrijven en probeer het opnieuw.',
    history:
      'Bouw de historie opnieuw op uit de labelmap: de referenties worden weer bewaakt, en er wordt niets verstuurd of afgedrukt. Of zet de database terug en probeer het opnieuw.',
    other: 'Herstel wat de melding noemt en probeer het opnieuw.',
  },
  backups: 'Reservekopieën',
  backupShipments_one: '{{count}} zending',
  backupShipments_other: '{{count}} zendingen',
  noBackups: 'Er is nog geen reservekopie.',
  restore: 'Terugzetten',
  restoreOf: 'De reservekopie van {{day}} terugzetten',
  rebuild: 'Historie opnieuw opbouwen',
  continueUnguarded: 'Zonder historie verder',
  continueTitle: 'Zonder bewaking verder?',
  continueQuestion:
    'Packbench weet dan niet dat deze referenties al verzonden zijn, en verzendt ze zonder te vragen opnieuw als een order ze noemt.',
}

export const states: typeof en.states = {
  job: {
    queued: 'Wacht',
    sending: 'Wordt verstuurd',
    'handed-over': 'Overgedragen',
    waiting: 'Wacht op u',
    done: 'Afgedrukt',
    failed: 'Mislukt',
    unconfirmed: 'Niet bevestigd',
    cancelled: 'Geannuleerd',
  },
  jobKind: { first: '', reprint: 'opnieuw', moved: 'andere printer' },
  needsAttention: 'Vraagt aandacht',
}
