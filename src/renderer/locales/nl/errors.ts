import type { Texts } from '../en'

export const errors: Texts['errors'] = {
  'invalid-input': 'Iets van wat is ingevuld kan niet gebruikt worden: verbeter het en probeer het opnieuw.',
  internal:
    'De app maakte zelf een fout. Probeer het opnieuw; blijft het zo, herstart dan de app en meld het de beheerder.',
  'startup-trouble': 'De app kan niet werken voordat het probleem bij het starten is verholpen.',
  'no-account': 'Er is geen account verbonden: verbind er een onder Instellingen, Account.',
  'account-refused':
    'De service weigerde deze gebruikersnaam en dit wachtwoord: controleer ze en verbind opnieuw.',
  'base-url-not-allowed':
    'Dit adres kan niet gebruikt worden: het moet beginnen met https:// (http:// alleen voor deze computer zelf).',
  'vault-locked':
    'De sleutelbos van het systeem is vergrendeld, dus het opgeslagen account is niet te lezen. Ontgrendel de sleutelbos en probeer het opnieuw.',
  'vault-unreadable':
    'De opgeslagen inloggegevens kunnen op deze computer of door deze gebruiker niet gelezen worden: typ ze opnieuw in.',
  'key-refused':
    'De service accepteert de sleutel van het account niet meer: verbind het account opnieuw onder Instellingen, Account.',
  'service-unreachable':
    'Geen verbinding met de service {{host}}: controleer het netwerk en probeer het opnieuw. Er is niets verstuurd.',
  'service-insecure':
    'Geen veilige verbinding met de service {{host}}: het certificaat wordt niet vertrouwd. Er is niets verstuurd; meld het de beheerder.',
  'service-timeout': 'Geen antwoord van de service {{host}} binnen de tijd.',
  'service-connection-lost':
    'De verbinding met de service {{host}} brak af voordat het antwoord compleet was.',
  'service-refused': 'De service weigerde het verzoek: verbeter wat hij noemt en probeer het opnieuw.',
  'service-busy': 'De service {{host}} vraagt om een pauze: wacht even en probeer het opnieuw.',
  'service-moved':
    'De service {{host}} verwijst naar een ander adres: controleer het adres van de service onder Instellingen, Account.',
  'service-failed':
    'De service {{host}} heeft zelf een storing (HTTP {{status}}). Bel de service als die blijft.',
  'service-answer-not-understood': 'Het antwoord van de service {{host}} is niet te begrijpen.',
  'shipment-not-found': 'Deze zending staat niet meer in de historie.',
  'shipment-in-progress': 'Deze zending is nog bezig: wacht op de uitkomst.',
  'shipment-unsettled':
    'Een eerdere poging met deze referentie heeft een onbekende uitkomst: handel die af voordat u hem opnieuw verstuurt.',
  'shipment-duplicate':
    'Deze referentie is al eerder verzonden: druk het label opnieuw af, of verzend bewust nog eens.',
  'shipment-not-unsettled': 'Deze zending is al afgehandeld.',
  'journal-not-written':
    'Packbench kan niet in zijn database schrijven. Er is niets verstuurd: maak ruimte en druk nog eens.',
  'outcome-not-written':
    'De service heeft geantwoord voor {{reference}} ({{barcodes}}), maar het antwoord kan niet worden bewaard. Packbench blijft het proberen: maak ruimte en sluit de app niet voordat Historie de uitkomst toont.',
  'shipment-interrupted':
    'De app stopte terwijl deze zending verstuurd werd: niemand weet of de zending bestaat.',
  'label-not-found': 'Dit label staat niet meer in de historie.',
  'label-unreadable':
    'Dit label kan niet gelezen en dus niet afgedrukt worden. Vraag het de service met de SubLogID.',
  'label-needs-password':
    'De PDF van dit label is versleuteld en gaat alleen open met een wachtwoord dat Packbench niet heeft. Er is niets afgedrukt: vraag de vervoerder om het label zonder wachtwoord.',
  'label-not-fetched':
    'Het label kon niet bij de service opgehaald worden: de zending bestaat, haal het label opnieuw op.',
  'label-host-not-allowed':
    'Het label is niet bij {{host}} opgehaald, want die ligt in een privénetwerk: de zending bestaat. Klopt die host, voeg hem dan toe onder Instellingen, Station, Labelhosts, en haal het label opnieuw op.',
  'label-type-unknown':
    'Dit soort label kan niet afgedrukt worden. Vraag de service om een PDF- of ZPL-label.',
  'label-missing': 'Het bestand van het label ontbreekt in de gegevensmap.',
  'label-not-stored':
    'Het label kan niet worden opgeslagen: {{reason}}. Packbench blijft het proberen: sluit het niet af voordat het label is opgeslagen.',
  'labels-waiting':
    'Labels wachten in het geheugen tot ze kunnen worden opgeslagen: {{reason}}. Er is niets verzonden: ze worden opgeslagen zodra de schijf het toelaat, daarna kan er weer worden verzonden.',
  'labels-not-writable':
    'Packbench kan niet schrijven in de labelmap {{file}}: {{reason}}. Er is niets verzonden.',
  'no-tracking-link': 'De service gaf geen trackinglink voor deze zending.',
  'tracking-not-running': 'Deze codes worden niet meer gevolgd: begin opnieuw.',
  'codes-file-invalid':
    'Uit {{file}} konden geen codes gelezen worden: het moet een CSV- of XLSX-bestand van hoogstens 20 MB zijn.',
  'export-not-saved': 'De tabel kon niet bewaard worden als {{file}}: kies een andere plaats.',
  'no-printer':
    'Voor dit label is geen printer ingesteld: voeg er een toe onder Instellingen, Printers, en druk opnieuw af.',
  'printer-not-found': 'De printer {{printer}} staat niet meer in de instellingen: kies een andere printer.',
  'printer-unreachable':
    'De printer {{printer}} antwoordt niet: controleer of hij aan staat en verbonden is, en druk opnieuw af.',
  'printer-failed': 'De printer {{printer}} nam het label niet aan: kijk wat hij meldt en druk opnieuw af.',
  'printer-stopped': 'De printer {{printer}} is gestopt: verhelp wat hij meldt en start hem weer.',
  'printer-takes-no-zpl':
    'Het label is ZPL, en dat neemt de wachtrij van printer {{printer}} niet aan: druk af op een printer met een netwerkadres, of via een raw-wachtrij.',
  'calibration-not-possible':
    'Printer {{printer}} kan zoals hij is ingesteld zijn labels niet laten meten: er is niets verstuurd. Kalibreer hem op de printer zelf.',
  'label-in-other-language':
    'Het label is ZPL, maar printer {{printer}} leest {{language}}: er is niets verstuurd. Druk het af op een ZPL-printer, of vraag de vervoerder om labels in PDF.',
  'print-service-missing':
    'Printer {{printer}} drukt af via CUPS, dat op deze computer ontbreekt: installeer het pakket cups-client.',
  'stock-not-supported':
    'De printer {{printer}} heeft geen labels van {{stock}} ({{supported}}): verbeter het formaat of kies het papier onder Instellingen, Printers. Er is niets afgedrukt.',
  'labels-past-sheet-edge':
    'De labels van printer {{printer}} steken over de rand van hun vel: verbeter het vel of het labelformaat onder Instellingen, Printers. Er is niets afgedrukt.',
  'darkness-not-supported':
    'De wachtrij van printer {{printer}} heeft geen zwarting {{value}} ({{supported}}): verbeter die of laat hem leeg onder Instellingen, Printers. Er is niets afgedrukt.',
  'speed-not-supported':
    'De wachtrij van printer {{printer}} heeft geen snelheid {{value}} ({{supported}}): verbeter die of laat hem leeg onder Instellingen, Printers. Er is niets afgedrukt.',
  'print-unconfirmed':
    'Niemand weet of de printer {{printer}} dit label heeft afgedrukt: kijk bij de printer en zeg wat u ziet.',
  'label-needs-placement':
    'Pagina {{pageNumber}} van het label is {{page}}, de labels in {{printer}} zijn {{stock}}: kies welk deel wordt afgedrukt.',
  'label-too-long':
    'Het label heeft {{pages}} pagina’s, meer dan de {{maxPages}} van één afdrukopdracht, en kon niet in delen worden afgedrukt: druk het af per paginanummer.',
  'placement-does-not-fit':
    'Het gekozen deel past niet op het label: kies een kleiner deel, draai het of maak het kleiner.',
  'zpl-needs-consent':
    'Dit label bevat opdrachten die printer {{printer}} kunnen wijzigen ({{commands}}): sta ze daarvoor toe, of vraag de vervoerder om een label zonder deze opdrachten.',
  'label-loses-content':
    'Van het label zou op printer {{printer}} iets verloren gaan: bekijk het en kies. Er is niets afgedrukt.',
  'printer-not-ready': 'De printer {{printer}} is niet gereed: verhelp het en druk opnieuw af.',
  'label-already-waiting':
    'Het label van {{reference}} wacht al op printer {{printer}}: verhelp het probleem daar, of verplaats het label in de wachtrij.',
  'nothing-printed-yet': 'Uit printer {{printer}} is nog niets gekomen: druk opnieuw af vanuit Historie.',
  'print-job-not-found': 'Deze afdrukopdracht staat niet meer in de historie.',
  'print-job-not-open': 'Deze afdrukopdracht is al afgelopen.',
  'manifest-not-found': 'Deze vrachtbrief is hier niet meer.',
  'manifest-uploaded': 'Dit manifest is naar de service verzonden en blijft in de historie.',
  'manifest-busy': 'Dit manifest wordt verzonden: wacht op de uitkomst.',
  'manifest-empty': 'Het manifest heeft geen regels: voeg er eerst toe.',
  'manifest-has-errors': 'Het manifest bevat fouten: verbeter de gemarkeerde cellen en verzend het dan.',
  'manifest-locked': 'De service meldde dat dit manifest vergrendeld is: er kan niets meer bij.',
  'manifest-upload-unknown':
    'De uitkomst van een eerdere verzending is onbekend: er is niets verzonden. Vraag het de service en geef dan aan wat ervan is geworden.',
  'manifest-not-uploaded':
    'Van dit nummer is hier geen manifest verzonden: verzend het eerst, of geef aan dat een ander programma dat deed.',
  'pre-alert-unknown':
    'De uitkomst van een eerdere vooraankondiging is onbekend: er is niets verzonden. Vraag het de service en geef dan aan wat ervan is geworden.',
  'submission-not-unknown': 'De uitkomst is al bekend: er is niets gewijzigd.',
  'lock-not-agreed':
    'Vergrendelen is niet afgesproken: een beheerder zet het aan onder Instellingen, Station.',
  'lock-number-differs': 'Het getypte nummer is niet het nummer van deze vrachtbrief: er is niets verzonden.',
  'table-unreadable': 'Het bestand {{file}} is niet te lezen: {{reason}}.',
  'table-gone': 'Kies het bestand opnieuw.',
  'decimal-mark-differs':
    'Regel {{line}}, kolom “{{column}}”: “{{text}}” heeft een punt die geen duizendtallen scheidt, terwijl het decimaalteken een komma is. Er is niets geïmporteerd. Kies een ander decimaalteken, of verbeter het bestand.',
  'pdf-unreadable': 'Dit bestand is geen bruikbare pdf: {{reason}}.',
  'product-not-found': 'Dit product staat niet meer in de catalogus.',
  'no-customs': 'Deze zending heeft geen douanegegevens, dus er is geen factuur.',
  'no-document-printer':
    'Er is geen documentprinter gekozen: kies er een onder Instellingen, Douane, of bewaar de factuur.',
  'file-not-saved': 'Het bestand {{file}} kon niet worden geschreven: {{reason}}.',
  'provisioning-invalid': 'Het inrichtingsbestand {{file}} bevat fouten. Er is niets gewijzigd.',
  'settings-invalid': 'Het instellingenbestand {{file}} kan niet gelezen worden.',
  'change-not-confirmed':
    'De nieuwe plaats ({{places}}) is niet bevestigd: er is niets gewijzigd en niets geopend.',
  'settings-not-saved':
    'De instellingen konden niet opgeslagen worden: controleer de schijf en de rechten op de gegevensmap.',
  'order-file-invalid':
    'Het orderbestand {{file}} kan niet gelezen worden: verbeter het en zet het opnieuw in de map.',
  'order-file-not-readable':
    'Het orderbestand {{file}} kan niet worden gelezen: geef deze gebruiker het recht om het te lezen. Andere orderbestanden gaan door.',
  'hot-folder-taken':
    'De hot folder {{folder}} hoort bij de Packbench op computer {{host}} met gegevensmap {{dataFolder}}: hier blijft alles in die map onaangeroerd. Zet de hot folder daar uit of kies hier een andere. Verwijder {{file}} alleen als dat station er niet meer is.',
  'hot-folder-taken-by-copy':
    'Een kopie van dit station (proces {{process}}) heeft de hot folder {{folder}} overgenomen: hier blijft alles in die map onaangeroerd. Geef een van beide een eigen gegevensmap en hot folder en verwijder daarna {{file}}.',
  'hot-folder-owner-unreadable':
    'Het bestand {{file}}, waarin staat van wie de hot folder {{folder}} is, kan niet worden gelezen: de map blijft onaangeroerd. Verwijder dat bestand als geen andere Packbench de map gebruikt.',
  'hot-folder-missing':
    'De map {{file}} ontbreekt: zet hem terug of kies een andere hot folder onder Instellingen, Station. Orderbestanden wachten tot dan.',
  'hot-folder-on-two-disks':
    'De mappen in, work, done en failed in {{file}} staan niet op één schijf, dus orderbestanden kunnen niet worden verplaatst: zet ze op één schijf. Orderbestanden wachten tot dan.',
  'hot-folder-not-answering':
    'De schijf of netwerkmap van {{file}} antwoordt niet: controleer de verbinding. Orderbestanden wachten tot dan.',
  'hot-folder-not-started':
    'De hot folder kon niet worden gestart: sla de instellingen opnieuw op of start Packbench opnieuw.',
  'disk-full': 'De schijf is vol: maak ruimte vrij en probeer het opnieuw.',
  'folder-not-writable':
    'Geen recht om te schrijven in de map {{file}}: geef deze gebruiker dat recht en probeer het opnieuw.',
  'database-newer':
    'De database {{file}} is door een nieuwere Packbench geschreven: installeer die versie weer.',
  'history-missing':
    'In de labelmap liggen {{count}} zendingen die de historie niet kent: de database is verwijderd of vervangen. Er wordt niets verstuurd, omdat hun referenties dan opnieuw verzonden zouden worden.',
  'database-in-use':
    'Een ander programma heeft de database {{file}} open: sluit dat programma en probeer het opnieuw.',
  'database-damaged':
    'De database {{file}} is beschadigd. Er wordt niets verstuurd, omdat referenties dan opnieuw verzonden zouden kunnen worden.',
  'database-missing':
    'De database {{file}} ontbreekt of is leeg, maar er zijn kopieën van. Er wordt niets verstuurd, omdat referenties dan opnieuw verzonden zouden kunnen worden.',
  'database-checking':
    'De vorige keer is Packbench afgebroken. De database {{file}} wordt gecontroleerd voordat er iets wordt verstuurd; daarna begint Packbench vanzelf.',
  'backup-unusable':
    'De reservekopie {{file}} is niet bruikbaar, er is niets gewijzigd: zet een andere terug.',
}

/** Why a chosen file can't be used: the end of a sentence. */
export const fileFaults: Texts['fileFaults'] = {
  empty: 'het is leeg',
  'not-opened': 'het kan niet worden geopend',
  'too-large': 'het is groter dan {{detail}} MB',
  'no-table': 'het is geen CSV en geen XLSX',
  'no-lines': 'er staat geen regel onder de kopregel',
  'too-many-lines': 'het heeft meer dan {{detail}} regels: splits het',
  'old-xls':
    'het is van de oude soort XLS of beveiligd met een wachtwoord; bewaar het als XLSX of CSV zonder wachtwoord',
  'open-quotes':
    'de aanhalingstekens bij rij {{detail}} zijn niet gesloten of staan in een waarde; verdubbel een aanhalingsteken dat erbij hoort',
  'damaged-xlsx': 'het is beschadigd of geen XLSX-bestand; bewaar het opnieuw als XLSX of CSV',
  'unpacks-too-much': 'het wordt uitgepakt te groot: splits het, of bewaar het als CSV',
  'too-hard': 'het kost te veel tijd of geheugen: splits het, of bewaar het als CSV',
  'no-product-columns': 'de kolommen “code” en “name” ontbreken',
  'no-pdf': 'het is geen pdf, wat de naam ook zegt',
  'unreadable-pdf': 'de pagina’s zijn niet te lezen: het is beschadigd, beveiligd of heeft er te veel',
  'no-space': 'de schijf is vol ({{detail}})',
  'no-quota': 'de schijfruimte van deze gebruiker is op ({{detail}})',
  'no-right': 'deze gebruiker mag daar niet schrijven ({{detail}})',
  'read-only-disk': 'de schijf is alleen-lezen ({{detail}})',
  'disk-error': 'de schijf heeft een storing ({{detail}})',
  'no-folder': 'die map is er niet, of er staat een bestand op die plek ({{detail}})',
  'system-error': 'het systeem weigert het ({{detail}})',
}
