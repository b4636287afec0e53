import type * as en from '../en'

export const setup: typeof en.setup = {
  title: 'Dit station inrichten',
  intro:
    'Zes korte stappen, vijf minuten. Het account, één vervoerdersoptie en een printer zijn nodig voor het eerste label.',
  steps: 'Stappen van het inrichten',
  stepLanguage: 'Taal',
  stepAccount: 'Account',
  stepCarriers: 'Vervoerders',
  stepPrinter: 'Printer',
  accountTitle: 'Verbind uw account',
  accountIntro:
    'Deze drie kreeg u van uw verzendservice. Het wachtwoord gaat naar de service en nergens anders heen.',
  unlock: 'Ontgrendelen en opnieuw proberen',
  lockedIntro:
    'De opgeslagen inloggegevens zijn op deze computer niet te openen. Typ ze opnieuw om verder te gaan.',
  baseUrl: 'Basis-URL',
  baseUrlHint: 'Bijvoorbeeld https://carrier.example/api',
  user: 'Gebruikersnaam',
  password: 'Wachtwoord',
  showPassword: 'Wachtwoord tonen',
  hidePassword: 'Wachtwoord verbergen',
  connect: 'Verbinden',
  connecting: 'Bezig met verbinden…',
  later: 'Eerst rondkijken',
  storageKeyring: 'Versleuteld opgeslagen met de sleutelbos van deze computer.',
  storageWeak:
    'Deze computer heeft geen sleutelbos: zwak beveiligd opgeslagen, zoals de instellingen toestaan.',
  storageMemory:
    'Deze computer heeft geen sleutelbos: in het geheugen bewaard tot de app sluit, daarna opnieuw gevraagd.',
  storageLocked:
    'De sleutelbos is vergrendeld: nieuwe inloggegevens blijven in het geheugen tot hij wordt ontgrendeld, en worden opnieuw gevraagd als de app eerder sluit.',
  carriersTitle: 'Vervoerders en hun opties',
  carriersIntro:
    'Geef elke vervoerdersoptie de naam die uw medewerkers kennen. De nummers staan in de inrichting van uw account.',
  destination: 'Waar gaan de meeste pakketten heen?',
  destinationHint:
    'Nieuwe pakketten, en orders zonder land, beginnen met dit land. Elk pakket mag een ander hebben.',
  printerTitle: 'Waar komen de labels eruit?',
  printerIntro: 'Voeg de labelprinter naast dit station toe. Een map is goed om mee te proberen.',
  stepTest: 'Labelformaat',
  testTitle: 'Welke labels zitten in de printer?',
  testIntro:
    'Kies het formaat, druk een testlabel af en zeg hoe het eruit kwam. De rand moet heel zijn en de barcodes moeten te scannen zijn.',
  language: 'Taal',
  languageTitle: 'Language · Taal',
  languageHint: 'Alles op het scherm is in het Nederlands.',
  next: 'Volgende: {{step}}',
  back: 'Terug',
  skip: 'Nu overslaan',
  finish: 'Beginnen met verzenden',
  stepOrder: 'Eerste order',
  find: 'Printers zoeken',
  found: 'Gevonden printers',
  findAnnounced: 'Zoeken op dit netwerk',
  addresses: 'Adressen om te bekijken',
  addressesHint: 'Losse adressen, reeksen zoals 192.168.1.20-60 of netwerken zoals 192.168.1.0/24.',
  findAt: 'Daar zoeken',
  finding: 'Bezig met zoeken…',
  foundSome_one: '{{count}} printer antwoordde.',
  foundSome_other: '{{count}} printers antwoordden.',
  foundNone:
    'Geen printer meldt zich op dit netwerk. Geef zijn adres: de meeste printers drukken het af als u de doorvoerknop ingedrukt houdt.',
  foundNoneAt: 'Op deze adressen neemt niets labels aan op poort 9100.',
  queue: 'wachtrij {{queue}} van deze computer',
  zplAt: '{{place}}, leest ZPL',
  use: '{{name}} gebruiken',
  useThis: 'Gebruiken',
  used: 'In gebruik',
  orderTitle: 'Een eerste order inpakken',
  orderIntro:
    'Een voorbeeldadres vult het formulier bij Verzenden in. Het staat niet in de lijst met orders, dus niets verzendt het vanzelf. Typ een referentie en het gewicht om het te proberen. Er wordt niets verzonden tot u op F9 drukt. Met een echt account wordt het verzonden en betaald: maak het formulier dan liever leeg.',
  trySample: 'Het voorbeeld invullen',
  keepAccount: 'Dit account houden',
  again: 'Stap voor stap instellen',
  againHint:
    'Loopt taal, account, vervoerders, printers, een testlabel en een voorbeeld nog eens na. Wat is ingesteld blijft tot u het wijzigt.',
  connectedAs: 'Verbonden als {{name}}',
}
