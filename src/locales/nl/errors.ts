import type * as en from '../en'

export const errors: typeof en.errors = {
  'invalid-input': {
    other: 'Iets van wat is ingevuld kan niet gebruikt worden: verbeter het en probeer het opnieuw.',
    'file-too-large':
      'Het bestand is groter dan {{megabytes}} MB, dus er is niets van gelezen: kies een kleiner bestand of splits het.',
    'foreign-caller': 'Deze aanroep komt niet van Packbench zelf en is geweigerd.',
    'not-sendable':
      'De gebruikersnaam, het wachtwoord of de sleutel bevat een teken dat niet verstuurd kan worden, of begint of eindigt met een spatie. Er is niets verstuurd: verbeter het.',
    settings: 'Deze instellingen passen niet bij elkaar: verbeter ze en sla ze opnieuw op.',
    pages: 'Het label heeft niet alle gekozen pagina’s (het heeft er {{pages}}): kies andere.',
    'sheet-place':
      'De printer {{printer}} heeft die plaats niet op zijn labelvellen: bekijk zijn vel onder Instellingen, Printers.',
  },
  internal: {
    other:
      'Packbench maakte zelf een fout ({{id}}). Probeer het opnieuw; blijft het zo, herstart dan Packbench en meld het de beheerder, die in het logboek meer vindt.',
    'answer-lost':
      'Packbench ging zelf in de fout terwijl het op het antwoord wachtte. Vraag de service of de zending bestaat.',
    tracking:
      'Packbench maakte zelf een fout bij het bekijken van de pakketten: het probeert het vanzelf opnieuw.',
    invoice:
      'Packbench maakte zelf een fout bij het maken van de factuur van {{reference}}: probeer het opnieuw.',
    bulk: 'Packbench maakte zelf een fout bij het volgen van deze codes: probeer het opnieuw.',
    'hot-folder':
      'De hot folder kan {{file}} op dit moment niet gebruiken, dus orderbestanden wachten. Packbench probeert het vanzelf opnieuw; herstart het als dit zo blijft.',
  },
  'startup-failed': {
    other:
      'Packbench kon niet beginnen. Er is niets verstuurd. Probeer het opnieuw; blijft het zo, geef dan het logboek aan de beheerder.',
    starting: 'Packbench start.',
  },
  'no-account': 'Er is geen account verbonden: verbind er een onder Instellingen, Account.',
  'account-refused':
    'De service {{host}} weigerde deze gebruikersnaam en dit wachtwoord: controleer ze en het adres van de service, en verbind opnieuw.',
  'base-url-not-allowed': {
    other:
      'Het adres van de service kan niet gebruikt worden: het moet beginnen met https:// (http:// alleen voor deze computer zelf).',
    scheme: 'Het adres van de service kan niet gebruikt worden: het moet beginnen met https://.',
    insecure:
      'Het adres van de service kan niet gebruikt worden: http mag alleen naar deze computer zelf; gebruik https.',
    'user-info':
      'Het adres van de service kan niet gebruikt worden: er mag geen gebruikersnaam of wachtwoord in staan.',
    query: 'Het adres van de service kan niet gebruikt worden: er mag geen “?” of “#” in staan.',
  },
  'vault-locked':
    'De sleutelbos van het systeem is vergrendeld, dus het opgeslagen account is niet te lezen. Ontgrendel de sleutelbos en probeer het opnieuw.',
  'vault-unreadable':
    'De opgeslagen inloggegevens in {{file}} kunnen op deze computer of door deze gebruiker niet gelezen worden. Het bestand blijft zoals het is: typ de inloggegevens opnieuw in.',
  'key-refused':
    'De service {{host}} accepteert de sleutel van het account niet meer (HTTP {{status}}): verbind het account opnieuw onder Instellingen, Account.',
  'operator-required':
    'Er is niemand aangemeld: kies uw naam of scan uw badge, en verzend dan. Er is niets verstuurd.',
  'operator-unknown':
    'Niemand hier heeft deze badge of naam: kies uw naam, of vraag de beheerder u toe te voegen.',
  'pin-required':
    'Hiervoor is de pincode van de beheerder nodig: er is niets veranderd. Typ hem en probeer het opnieuw.',
  'pin-wrong': 'Deze pincode is onjuist: probeer het opnieuw.',
  'pin-blocked': 'Er is te vaak een onjuiste pincode getypt: wacht tot {{until}} en probeer het dan opnieuw.',
  'pin-unusable':
    'Het bestand {{path}} van de pincode kan niet gelezen of geschreven worden, dus wat de pincode bewaakt blijft dicht. De beheerder kan de pincode opnieuw instellen met een inrichtingsbestand.',
  'service-unreachable':
    'Geen verbinding met de service {{host}}: controleer het netwerk en het adres van de service, en probeer het opnieuw. Er is niets verstuurd.',
  'shipment-too-late':
    'Deze computer sliep of stond stil voordat de zending werd verstuurd, dus een ander station kan haar intussen hebben. Er is niets verstuurd: verzend opnieuw.',
  'service-insecure':
    'Er kon geen beveiligde verbinding met de service {{host}} gemaakt worden. Er is niets verstuurd: controleer het adres, de klok van deze computer en het certificaat van de service, of meld het de beheerder.',
  'proxy-failed': {
    other:
      'De proxy {{proxy}} kon niet worden gebruikt voor {{host}}. Er is niets verstuurd: meld het de beheerder.',
    unreachable:
      'De proxy {{proxy}} is niet bereikbaar, en {{host}} dus ook niet. Er is niets verstuurd: controleer het netwerk en de proxy onder Instellingen, Netwerk.',
    insecure:
      'Er kon geen beveiligde verbinding met de proxy {{proxy}} worden gemaakt. Er is niets verstuurd: controleer zijn adres en certificaat onder Instellingen, Netwerk.',
    broken:
      'De proxy {{proxy}} gaf voor {{host}} geen antwoord dat te begrijpen is. Er is niets verstuurd: controleer het adres en de poort van de proxy onder Instellingen, Netwerk.',
    silent:
      'De proxy {{proxy}} gaf niet op tijd antwoord voor {{host}}. Er is niets verstuurd: de service of de proxy kan eruit liggen; probeer het opnieuw, en blijft het zo, vraag het de beheerder.',
    'credentials-missing':
      'De proxy {{proxy}} vraagt om een gebruikersnaam en wachtwoord. Er is niets verstuurd: vul ze in onder Instellingen, Netwerk.',
    'credentials-refused':
      'De proxy {{proxy}} weigerde de gebruikersnaam en het wachtwoord. Er is niets verstuurd: verbeter ze onder Instellingen, Netwerk.',
    'credentials-other':
      'Bij de proxy {{proxy}} moet worden aangemeld met {{schemes}}, en dat kan Packbench niet. Er is niets verstuurd: vraag de beheerder deze computer door te laten, of Basic toe te staan.',
    refused:
      'De proxy {{proxy}} laat niemand door naar {{host}} (HTTP {{status}}). Er is niets verstuurd: vraag de beheerder dit adres toe te staan.',
    'service-not-reached':
      'De proxy {{proxy}} kan {{host}} niet bereiken (HTTP {{status}}). Er is niets verstuurd: controleer het adres van de service en vraag het dan de beheerder.',
    'system-silent':
      'Het systeem zei niet op tijd via welke proxy {{host}} bereikt wordt. Er is niets verstuurd: probeer het opnieuw, en blijft het zo, noem de proxy dan onder Instellingen, Netwerk.',
    unsupported:
      'De weg naar {{host}} loopt via “{{proxy}}”, een soort proxy die Packbench niet spreekt. Er is niets verstuurd: noem een HTTP-proxy onder Instellingen, Netwerk.',
  },
  'proxy-none':
    'De service wordt nu zonder proxy bereikt, dus er is geen proxy om inloggegevens voor te bewaren. Er is niets bewaard: sla eerst de proxy op en verbind het account.',
  'certificate-not-trusted':
    'Het certificaat van {{host}} wordt niet vertrouwd: het is uitgegeven door “{{issuer}}”. Er is niets verstuurd. Is dit de instantie van uw bedrijf, voeg dan haar certificaat toe onder Instellingen, Netwerk; meld het anders aan uw beheerder.',
  'certificates-unusable':
    'De certificaten in {{path}} kunnen niet worden gebruikt: {{reason}}. Verbeter ze onder Instellingen, Netwerk; tot dan worden ze niet vertrouwd.',
  'network-target-missing':
    'Er is geen service om te testen: verbind een account, of vul het adres van de service in.',
  'service-timeout': 'De service {{host}} antwoordde niet binnen de tijd ({{seconds}} s).',
  'service-connection-lost':
    'De verbinding met de service {{host}} brak af voordat het antwoord compleet was.',
  'service-refused':
    'De service weigerde het verzoek (HTTP {{status}}): verbeter wat hij noemt en probeer het opnieuw.',
  'service-busy': 'De service {{host}} vraagt om een pauze: wacht even en probeer het opnieuw.',
  'service-moved':
    'De service {{host}} verwijst naar een ander adres (HTTP {{status}}), dat niet gevolgd wordt: controleer het adres van de service onder Instellingen, Account.',
  'service-failed':
    'De service {{host}} heeft zelf een storing (HTTP {{status}}). Bel de service als die blijft.',
  'service-answer-not-understood': 'Het antwoord van de service {{host}} is niet te begrijpen.',
  'shipment-not-found': 'Deze zending staat niet meer in de historie.',
  'shipment-in-progress': {
    other:
      'De zending {{reference}} wordt nog aangemaakt: wacht op de uitkomst. Er is niet nog eens iets verstuurd.',
    elsewhere:
      'Station {{station}} maakt de zending {{reference}} aan (sinds {{takenAt}}, {{operator}}): wacht op de uitkomst. Hier is niets verstuurd.',
  },
  'shipment-unsettled': {
    other:
      'Een eerdere poging om {{reference}} te verzenden ({{takenAt}}) heeft een onbekende uitkomst: vraag de service of de zending bestaat, en handel haar af in Historie voordat u opnieuw verzendt.',
    elsewhere:
      'Station {{station}} probeerde {{reference}} te verzenden ({{takenAt}}, {{operator}}) en de uitkomst is onbekend. Hier is niets verstuurd: vraag de service of de zending bestaat, en handel haar af.',
  },
  'shipment-duplicate': {
    other:
      'De referentie {{reference}} is al eerder verzonden ({{takenAt}}; {{barcodes}}): druk het label opnieuw af, of verzend bewust nog eens.',
    elsewhere:
      'De referentie {{reference}} is verzonden op station {{station}} ({{takenAt}}, {{operator}}; {{barcodes}}): hier is niets verstuurd. Druk het label opnieuw af, of verzend bewust nog eens.',
    cancelled:
      'De referentie {{reference}} is al eerder verzonden ({{takenAt}}; {{barcodes}}) en bij de vervoerder geannuleerd ({{cancelledAt}}): het label is niet meer geldig. Verzend bewust nog eens als het pakket een nieuw label nodig heeft.',
    'cancelled-elsewhere':
      'De referentie {{reference}} is verzonden op station {{station}} ({{takenAt}}, {{operator}}; {{barcodes}}) en bij de vervoerder geannuleerd ({{cancelledAt}}): het label is niet meer geldig, en hier is niets verstuurd. Verzend bewust nog eens als het pakket een nieuw label nodig heeft.',
  },
  'shipment-not-unsettled': 'Deze zending is al afgehandeld: er is niets gewijzigd.',
  'journal-not-written':
    'Packbench kan niet in zijn database schrijven. Er is niets verstuurd: maak ruimte, of sluit het programma dat het bestand vasthoudt, en druk nog eens.',
  'outcome-not-written':
    'De service heeft geantwoord voor {{reference}} ({{barcodes}}), maar het antwoord kan niet worden bewaard. Packbench blijft het proberen: maak ruimte en sluit de app niet voordat Historie de uitkomst toont.',
  'shipment-interrupted': {
    other:
      'Packbench stopte terwijl de zending {{reference}} verstuurd werd, en het is onbekend of zij bestaat: vraag het de service en handel de zending dan af.',
    submission:
      'Packbench stopte terwijl dit verstuurd werd, en het is onbekend of het is aangekomen: vraag het de service en geef dan aan wat ervan is geworden.',
    copy: 'De database is uit een kopie teruggezet of opnieuw opgebouwd, en het is onbekend of dit manifest sindsdien is verstuurd: vraag het de service en geef dan aan wat ervan is geworden.',
  },
  'label-not-found': {
    other: 'Dit label staat niet meer in de historie: open de zending opnieuw.',
    'nothing-stored': 'Er is geen opgeslagen label om af te drukken.',
    'no-barcode': 'De service gaf geen barcode voor deze zending, dus een scan is niet te vergelijken.',
  },
  'label-unreadable': {
    other:
      'Het label van {{reference}} kan niet gelezen en dus niet afgedrukt worden. De zending bestaat: vraag de service om het label en noem daarbij de SubLogID.',
    'too-few':
      'Een label van {{reference}} kwam niet met het antwoord mee. De zending bestaat: vraag de service om het label en noem daarbij de SubLogID.',
    'too-many':
      'Het antwoord voor {{reference}} bevat meer labels dan een zending kan hebben, en die na dit label zijn niet uitgepakt. Het hele antwoord is bewaard: vraag de service welke labels kloppen.',
    empty:
      'Een label van {{reference}} kwam zonder inhoud. De zending bestaat: vraag de service om het label en noem daarbij de SubLogID.',
    'not-a-pdf':
      'Een label van {{reference}} is geen PDF. De zending bestaat: vraag de service om het label en noem daarbij de SubLogID.',
    'stored-file':
      'Het labelbestand {{file}} kan niet gebruikt worden: {{reason}}. Zet het terug vanuit een kopie, of vraag de service om het label.',
    'others-printed':
      'De bestanden van sommige labels van {{reference}} kunnen niet gebruikt worden (label {{positions}}), dus alleen de andere labels worden afgedrukt: zet de bestanden terug vanuit een kopie, of vraag de service om deze labels.',
    'not-drawn':
      'Het label kan niet getekend worden. Probeer het opnieuw, of druk het af vanuit een ander programma.',
    pdf: 'De PDF van het label kan niet gelezen worden, dus er is niets afgedrukt: vraag de service opnieuw om het label, of druk het af vanuit een ander programma.',
    copies:
      'De {{copies}} exemplaren van dit label zijn samen groter dan 256 MB, dus er is niets afgedrukt: stel voor de printer minder exemplaren in en druk opnieuw af.',
    'fetched-no-pdf': 'Wat in plaats van het label kwam, is geen PDF: haal het later opnieuw op.',
  },
  'label-needs-password':
    'De PDF van dit label is versleuteld en gaat alleen open met een wachtwoord dat Packbench niet heeft. Er is niets afgedrukt: vraag de service om het label zonder wachtwoord.',
  'label-not-fetched': {
    other:
      'Het label kon niet bij de service ({{host}}) opgehaald worden: de zending bestaat, haal het label opnieuw op.',
    status:
      'Het label kon niet opgehaald worden, want {{host}} antwoordde HTTP {{status}}: de zending bestaat, haal het label opnieuw op.',
    'not-yet': 'Het label van {{reference}} is nog niet opgehaald: haal het op in Historie.',
    'no-room':
      'Het label van {{reference}} wacht op ruimte op de schijf: maak ruimte en haal het op in Historie.',
  },
  'label-host-not-allowed':
    'Het label is niet bij {{host}} opgehaald, want dat is deze computer of ligt in een privénetwerk: de zending bestaat. Klopt die host, voeg hem dan toe onder Instellingen, Station, Labelhosts, en haal het label opnieuw op.',
  'label-type-unknown':
    'Dit label ({{reference}}) is van een soort die niet afgedrukt kan worden, en is bewaard zoals het kwam. Vraag de service om een PDF- of ZPL-label.',
  'label-missing':
    'Het adres van dit label ({{reference}}) is niet meer bekend: vraag de service om het label en noem daarbij de nummers van de zending.',
  'label-not-stored':
    'Het label kan niet worden opgeslagen: {{reason}}. Packbench blijft het proberen: sluit het niet af voordat het label is opgeslagen.',
  'labels-waiting':
    'Tot ze kunnen worden opgeslagen, wachten labels in het geheugen ({{count}}): {{reason}}. Er is niets verzonden: ze worden opgeslagen zodra de schijf het toelaat, daarna kan er weer worden verzonden.',
  'labels-not-writable':
    'Packbench kan niet schrijven in de labelmap {{file}}: {{reason}}. Er is niets verzonden: maak de map beschrijfbaar en verzend opnieuw.',
  'no-tracking-link': 'De service gaf geen trackinglink voor deze zending.',
  'tracking-not-running': 'Deze codes worden niet meer gevolgd: begin opnieuw.',
  'codes-file-invalid':
    'Uit {{file}} konden geen codes gelezen worden: het moet een CSV- of XLSX-bestand van hoogstens 20 MB zijn.',
  'export-not-saved': 'De tabel kon niet bewaard worden als {{file}}: kies een andere plaats.',
  'no-printer':
    'Voor dit label is geen printer ingesteld: voeg er een toe onder Instellingen, Printers, en druk opnieuw af.',
  'printer-not-found': {
    other:
      'De printer {{printer}} staat niet meer in de instellingen: kies een andere printer, of stel hem in onder Instellingen, Printers.',
    'no-queue':
      'Deze computer heeft geen afdrukwachtrij {{queue}}: kies een andere voor printer {{printer}} onder Instellingen, Printers, of voeg de wachtrij toe.',
    windows:
      'Windows heeft geen printer {{queue}}, of laat deze gebruiker er niet op afdrukken. Er is niets afgedrukt: kies een andere voor printer {{printer}} onder Instellingen, Printers.',
  },
  'printer-unreachable': {
    other:
      'De printer {{printer}} ({{address}}) antwoordt niet: controleer of hij aan staat en verbonden is en of zijn adres klopt, en druk opnieuw af.',
    spooler:
      'De afdrukdienst (CUPS) van printer {{printer}} antwoordt niet: controleer of die draait, en druk opnieuw af.',
  },
  'printer-failed': {
    other: 'De printer {{printer}} nam het label niet aan: kijk wat hij meldt en druk opnieuw af.',
    'before-sending':
      'Packbench maakte zelf een fout voordat het label naar printer {{printer}} verstuurd werd. Er is niets afgedrukt: druk het opnieuw af.',
    'job-ended':
      'De opdracht van het label ({{job}}) kwam niet door wachtrij {{queue}}: verhelp het bij printer {{printer}}, kijk of er een label uit kwam, en druk opnieuw af.',
    'took-nothing':
      'De wachtrij {{queue}} van printer {{printer}} nam geen opdracht aan, en er is niets afgedrukt: verhelp het bij de printer en druk opnieuw af.',
    'label-refused':
      'De wachtrij {{queue}} van printer {{printer}} neemt dit label niet aan, en er is niets afgedrukt: kijk wat hij meldt, of druk het label op een andere printer af.',
    sheet:
      'Het labelvel voor printer {{printer}} kon niet geschreven worden. Er is niets afgedrukt: druk opnieuw af.',
    'no-spooler':
      'De afdrukspooler van Windows is niet te gebruiken voor printer {{printer}}. Er is niets afgedrukt: installeer Packbench opnieuw, of laat de taal van de printer weg onder Instellingen, Printers.',
  },
  'printer-stopped':
    'De printer {{printer}} is gestopt en neemt geen opdrachten aan: verhelp wat hij meldt en start hem weer, of kies een andere printer.',
  'printer-takes-no-zpl': {
    other:
      'Het label is ZPL, en dat neemt de wachtrij van printer {{printer}} niet aan: druk af op een printer met een netwerkadres, of via een raw-wachtrij.',
    sheets:
      'Het label is ZPL, en dat neemt printer {{printer}} met labelvellen niet aan: druk het af op een labelprinter.',
    windows:
      'Het label is ZPL, en dat neemt het stuurprogramma van Windows-printer {{queue}} niet aan: zet de taal van printer {{printer}} op ZPL onder Instellingen, Printers, als hij ZPL leest, of druk af op een andere.',
  },
  'calibration-not-possible':
    'Printer {{printer}} kan zoals hij is ingesteld zijn labels niet laten meten: er is niets verstuurd. Kalibreer hem op de printer zelf.',
  'label-in-other-language':
    'Het label is ZPL, maar printer {{printer}} leest {{language}}: er is niets afgedrukt. Druk het af op een ZPL-printer, of vraag de vervoerder om labels in PDF.',
  'print-service-missing':
    'Printer {{printer}} drukt af via CUPS, dat op deze computer ontbreekt: installeer het pakket cups-client.',
  'stock-not-supported':
    'De printer {{printer}} heeft geen labels van {{stock}} ({{supported}}): verbeter het formaat of kies de media onder Instellingen, Printers, of voeg het formaat toe aan de wachtrij of het stuurprogramma. Er is niets afgedrukt.',
  'labels-past-sheet-edge':
    'De labels van printer {{printer}} steken over de rand van hun vel: verbeter het vel of het labelformaat onder Instellingen, Printers. Er is niets afgedrukt.',
  'darkness-not-supported':
    'De wachtrij van printer {{printer}} heeft geen zwarting {{value}} ({{supported}}): verbeter die onder Instellingen, Printers, of laat het veld leeg en stel ze in op de printer. Er is niets afgedrukt.',
  'speed-not-supported':
    'De wachtrij van printer {{printer}} heeft geen snelheid {{value}} ({{supported}}): verbeter die onder Instellingen, Printers, of laat het veld leeg en stel ze in op de printer. Er is niets afgedrukt.',
  'setting-needs-language':
    'Het stuurprogramma van de wachtrij {{queue}} tekent de labels van printer {{printer}} en kent de instelling “{{setting}}” niet: kies de taal van de printer onder Instellingen, Printers, of verwijder de instelling. Er is niets afgedrukt.',
  'print-unconfirmed': {
    other:
      'Het is niet bekend of de printer {{printer}} dit label heeft afgedrukt: kijk bij de printer en zeg wat u ziet.',
    closed:
      'Packbench werd afgesloten terwijl het dit label naar printer {{printer}} verstuurde, en het is niet bekend of het eruit kwam: kijk bij de printer en zeg wat u ziet.',
    failed:
      'Packbench maakte zelf een fout terwijl het dit label naar printer {{printer}} verstuurde, en het is niet bekend of het eruit kwam: kijk bij de printer en zeg wat u ziet.',
    'windows-keeps':
      'Windows nam dit label aan voor printer {{printer}} hoewel het een probleem met die printer meldt, en drukt het misschien nog af: kijk bij de printer, en verwijder het label uit de wachtrij in Windows voordat u het opnieuw afdrukt.',
    restored:
      'Deze afdrukopdracht komt uit een teruggezette kopie van de database, en printer {{printer}} heeft het label misschien afgedrukt nadat de kopie was gemaakt: kijk bij het pakket en zeg wat u ziet.',
  },
  'label-needs-placement':
    'Pagina {{pageNumber}} van het label is {{page}}, de labels in {{printer}} zijn {{stock}}: kies welk deel wordt afgedrukt, of verplaats de opdracht naar een andere printer.',
  'label-too-long':
    'Het label heeft {{pages}} pagina’s, meer dan de {{maxPages}} van één afdrukopdracht, en kon niet in delen worden afgedrukt. Er is niets afgedrukt: druk het af per paginanummer.',
  'placement-does-not-fit':
    'Het gekozen deel past niet op het label: kies een kleiner deel, draai het of maak het kleiner.',
  'zpl-needs-consent':
    'Dit label bevat opdrachten die printer {{printer}} kunnen wijzigen ({{commands}}): sta ze daarvoor toe, of vraag de vervoerder om een label zonder deze opdrachten.',
  'label-loses-content':
    'Van het label zou op printer {{printer}} iets verloren gaan: bekijk het en kies. Er is niets afgedrukt.',
  'printer-not-ready': 'De printer {{printer}} is niet gereed: verhelp het en druk opnieuw af.',
  'label-already-waiting': {
    other:
      'Het label van {{reference}} wacht al op printer {{printer}}: verhelp het probleem daar, of verplaats het label in de wachtrij.',
    invoice:
      'De factuur van {{reference}} wacht al op printer {{printer}}: verhelp het probleem daar, of verplaats de factuur in de wachtrij.',
  },
  'nothing-printed-yet':
    'Uit printer {{printer}} is nog niets gekomen: open de zending in Historie en druk haar label opnieuw af.',
  'label-in-spooler':
    'De afdrukopdracht van {{reference}} staat misschien nog in de wachtrij van printer {{printer}} op deze computer en kon er niet uit worden verwijderd. Er is niets gewijzigd: verwijder haar daar, of start de afdrukdienst, en probeer het opnieuw.',
  'print-job-not-found': 'Deze afdrukopdracht staat niet meer in de historie: open de zending opnieuw.',
  'print-job-not-open': {
    other: 'Deze afdrukopdracht is al afgelopen: bekijk de nieuwste opdracht van de zending.',
    'no-choice': 'Deze afdrukopdracht vraagt geen keuze meer: bekijk de wachtrij opnieuw.',
    queued:
      'Deze afdrukopdracht wacht nog op haar printer: verhelp het probleem daar, of verplaats de opdracht in de wachtrij.',
    sending:
      'Deze afdrukopdracht wordt verstuurd, dus er kan niets aan worden gewijzigd: wacht op de uitkomst.',
  },
  'manifest-not-found': 'Deze vrachtbrief is hier niet meer.',
  'manifest-uploaded': 'Voor deze vrachtbrief is iets verzonden, dus blijft hij in de historie.',
  'manifest-busy': 'Deze vrachtbrief wordt verzonden: wacht op de uitkomst.',
  'manifest-empty': 'Het manifest heeft geen regels, dus er is niets verzonden: voeg er eerst toe.',
  'manifest-has-errors':
    'Het manifest bevat fouten ({{count}}), dus er is niets verzonden: verbeter de gemarkeerde cellen en verzend het dan.',
  'manifest-full':
    'In een manifest passen {{max}} regels en dit zou er meer krijgen: er is niets toegevoegd. Verwijder eerst regels, of vervang ze door die van het bestand.',
  'manifest-locked': 'De service meldde dat dit manifest vergrendeld is: er is niets gewijzigd of verzonden.',
  'manifest-upload-unknown':
    'De uitkomst van een eerdere verzending is onbekend: er is niets verzonden. Vraag het de service en geef dan aan wat ervan is geworden.',
  'manifest-accepted':
    'Dit manifest is al eens aanvaard: er is niets verzonden. Vink “Alle regels nog eens verzenden” aan om het opnieuw te verzenden.',
  'manifest-not-uploaded':
    'Van dit nummer is hier geen manifest verzonden: verzend het eerst, of geef aan dat een ander programma dat deed.',
  'pre-alert-unknown':
    'De uitkomst van een eerdere vooraankondiging is onbekend: er is niets verzonden. Vraag het de service en geef dan aan wat ervan is geworden.',
  'pre-alert-accepted':
    'Een vooraankondiging van dit nummer is al eens aanvaard: er is niets verzonden. Vink “Nog een vooraankondiging verzenden” aan om er weer een te verzenden.',
  'submission-not-unknown': 'De uitkomst is al bekend: er is niets gewijzigd.',
  'lock-not-agreed':
    'Vergrendelen is niet afgesproken: een beheerder zet het aan onder Instellingen, Station.',
  'lock-number-differs': 'Het getypte nummer is niet het nummer van deze vrachtbrief: er is niets verzonden.',
  'table-unreadable': 'Het bestand {{file}} is niet te lezen: {{reason}}.',
  'table-gone': 'Het gelezen bestand is niet meer bewaard: kies het opnieuw.',
  'order-columns-unknown': {
    other:
      'Het bestand {{file}} heeft geen kolom die bekend is als ordernummer: er is niets geïmporteerd. Importeer zo’n bestand één keer met de hand en zeg wat de kolommen zijn, of noem de koppeling in de instellingen.',
    guarded:
      'Voor een bestand met de koppen van {{file}} zijn andere kolommen gekozen dan Packbench herkent: er is niets geïmporteerd. Zolang de pincode de instellingen bewaakt, zegt alleen de koppeling in de instellingen wat de kolommen zijn: noem die daar.',
  },
  'order-column-missing':
    'Het bestand {{file}} heeft geen kolom “{{column}}”, die de koppeling noemt: er is niets geïmporteerd. Verbeter het bestand, of de koppeling in de instellingen.',
  'order-import-stopped':
    'Uit de map {{path}} kunnen geen orders geïmporteerd worden: {{reason}}. De bestanden wachten daar; Packbench probeert het vanzelf opnieuw.',
  'batch-running': 'Er is nog een batch met orders bezig: laat die aflopen, of stop hem, voor de volgende.',
  'batch-empty': 'Geen van deze orders kan nog verzonden worden: er is niets verstuurd.',
  'batch-too-large':
    'Eén batch neemt hoogstens {{max}} orders, en er zijn er {{count}} geselecteerd: er is niets verstuurd. Selecteer er minder, of maak de lijst eerst korter met een filter, en verzend de andere in een tweede batch.',
  'batch-needs-scans':
    'Op dit station moet elk label gescand worden voordat de volgende order begint; daar kan een batch niet op wachten. Er is niets verstuurd. Verzend deze orders één voor één, of laat de verplichte scan uitzetten (Instellingen, Station).',
  'batch-held':
    'De batch is gepauzeerd of gestopt voordat deze order werd verzonden: er is niets verzonden. Hervat de batch, of verzend de order los.',
  'batch-not-found': 'Deze batch is niet meer de huidige: er is niets gewijzigd.',
  'folder-not-opened': 'De map {{folder}} kon niet worden geopend: open hem in uw bestandsbeheer.',
  'order-not-found': 'Deze order staat niet meer in de lijst.',
  'order-known':
    'Een order {{reference}} staat al in de lijst of is al verzonden: er is niets opgeslagen. Zoek die op, of geef deze een andere referentie.',
  'order-not-open':
    'Order {{reference}} is verzonden of overgeslagen en kan dus niet gewijzigd worden. Zet een overgeslagen order eerst terug in de lijst.',
  'order-not-taken': {
    other:
      'De database van de vloot is weg, en een ander station kan met order {{reference}} bezig zijn: hij is niet overgenomen. Orders die dit station al had en nieuwe gaan door; andere zodra de database weer antwoordt.',
    shipped:
      'De database van de vloot is weg, en een ander station heeft order {{reference}} al verzonden: hier is niets verzonden. Probeer het opnieuw zodra de database weer antwoordt, om het label opnieuw af te drukken of bewust nog een keer te verzenden.',
  },
  'order-changed-elsewhere':
    'Een ander station heeft order {{reference}} intussen gewijzigd: uw wijziging is niet opgeslagen. De order toont wat er nu in staat; wijzig hem opnieuw als dat nog nodig is.',
  'rule-printer-unknown':
    'De printer {{printer}}, die de regel van de order noemt, staat niet in de instellingen: er is niets verstuurd. Noem een andere in de regel (Instellingen, Regels), of stel hem in (Instellingen, Printers).',
  'order-closed':
    'Order {{reference}} is intussen verzonden of overgeslagen: er is niets verstuurd. Kijk ernaar bij Orders en begin het pakket opnieuw.',
  'order-changed':
    'Order {{reference}} is intussen gewijzigd, of er moet iets aan verbeterd worden: er is niets verstuurd. Kijk ernaar bij Orders en begin het pakket opnieuw.',
  'order-not-put-back':
    'Order {{reference}} kwam uit het orderbestand {{file}}, en het resultaat daarvan zegt dat hij niet verzonden is: er is niets teruggezet. Zet hem opnieuw in de hot folder, en zet andere orders zonder hem terug.',
  'decimal-mark-differs':
    'Regel {{line}}, kolom “{{column}}”: “{{text}}” heeft een punt die geen duizendtallen scheidt, terwijl het decimaalteken een komma is. Er is niets geïmporteerd. Kies een ander decimaalteken, of verbeter het bestand.',
  'pdf-unreadable': 'Dit bestand is niet bruikbaar als vrachtbrief: {{reason}}.',
  'product-not-found': 'Dit product staat niet meer in de catalogus.',
  'no-customs': 'Deze zending heeft geen douanegegevens, dus er is geen factuur.',
  'no-document-printer':
    'Er is geen documentprinter gekozen: kies er een onder Instellingen, Douane, of bewaar de factuur.',
  'file-not-saved': 'Het bestand {{file}} kon niet worden geschreven ({{reason}}): kies een andere plaats.',
  'update-unreachable':
    'Bij {{file}} kan niet naar updates worden gezocht ({{reason}}): controleer het adres en het netwerk. Packbench werkt door en kijkt vanzelf opnieuw.',
  'update-refused': {
    other:
      'De update op {{file}} is niet te lezen en is niet genomen: het kanaal moet opnieuw gepubliceerd worden.',
    signature:
      'De update op {{file}} is niet ondertekend met de sleutel van Packbench. Er is niets van genomen: vertel het uw beheerder.',
    'other-channel':
      'Het bestand {{file}} hoort bij een ander kanaal en is niet genomen: het kanaal moet opnieuw gepubliceerd worden.',
    older:
      'Het updatekanaal {{file}} is ondertekend vóór een dat dit station gelezen heeft, en is niet genomen: de server biedt aan wat vervangen of ingetrokken is. Vertel het uw beheerder.',
    future:
      'Het updatekanaal {{file}} is meer dan een dag na de tijd van de klok van deze computer ondertekend en is niet genomen: stel de klok goed, of laat het kanaal opnieuw ondertekenen waar de klok goed staat.',
    expired:
      'Het updatekanaal {{file}} is verlopen en is niet genomen: het kanaal moet opnieuw ondertekend worden. Controleer ook de klok van de computer.',
    content:
      'Het bestand {{file}} is niet wat het ondertekende kanaal noemt. Het is verwijderd: Packbench kijkt vanzelf opnieuw; vertel het uw beheerder als dit zo blijft.',
  },
  'update-not-placed':
    'De update kon niet geplaatst worden ({{reason}}). Packbench werkt door zoals het is: maak ruimte of geef deze gebruiker het recht om daar te schrijven, en probeer het opnieuw.',
  'update-not-now': {
    other: 'De update wacht: er is niets gewijzigd.',
    none: 'Er is geen update meer om te plaatsen: kijk opnieuw.',
    shipping: 'Er wordt een zending aangemaakt: wacht op de uitkomst en start dan opnieuw om bij te werken.',
    printing:
      'Er is een label onderweg naar de printer: wacht tot het eruit is en start dan opnieuw om bij te werken.',
    batch: 'Er loopt een batch met orders: laat die aflopen en start dan opnieuw om bij te werken.',
    unknown:
      'Een uitkomst is onbekend: handel die af in Historie of de wachtrij en start dan opnieuw om bij te werken.',
    labels:
      'Labels wachten in het geheugen op ruimte op de schijf: maak ruimte en start dan opnieuw om bij te werken.',
  },
  'restore-not-now': {
    other: 'De kopie is niet teruggezet: er is niets gewijzigd.',
    shipping:
      'Er wordt een zending aangemaakt: wacht op de uitkomst en zet de kopie dan terug. Er is niets gewijzigd.',
    printing:
      'Er is een label onderweg naar de printer: wacht tot het eruit is en zet de kopie dan terug. Er is niets gewijzigd.',
    batch:
      'Er loopt een batch met orders: laat die aflopen en zet de kopie dan terug. Er is niets gewijzigd.',
    unknown:
      'Een uitkomst is onbekend: handel die af in Historie of de wachtrij en zet de kopie dan terug. Er is niets gewijzigd.',
    labels:
      'Labels wachten in het geheugen op ruimte op de schijf: maak ruimte en zet de kopie dan terug. Er is niets gewijzigd.',
  },
  'not-in-demo':
    'De demo gebruikt alleen de simulator en eigen gegevens: geen account, vloot of importmap van een station, en geen kopie ervan. Er is niets gewijzigd: start Packbench daarvoor zonder --demo.',
  'fleet-unreachable': {
    other:
      'De database van de vloot op {{host}} is niet bereikbaar ({{reason}}): controleer het netwerk en of PostgreSQL daar draait.',
    hold: 'De database van de vloot op {{host}} is niet bereikbaar, dus er wordt niets nieuws aangemaakt; al het andere werkt. Controleer het netwerk of meld het de beheerder: het gaat vanzelf verder zodra de database antwoordt.',
    unjoined:
      'De database van de vloot op {{host}} is niet bereikbaar ({{reason}}), dus er wordt niets nieuws aangemaakt: dit station heeft er sinds de start, of sinds een wijziging van de instellingen, nog niet aan meegedaan. Het adres kan dus verkeerd zijn, of de gegevensmap een kopie. Controleer server en poort onder Instellingen, Vloot, het netwerk, en of PostgreSQL daar draait.',
  },
  'fleet-slow': {
    other:
      'De database van de vloot op {{host}} doet te lang over een antwoord ({{reason}}), dus er is niets aangemaakt: probeer het zo dadelijk opnieuw. Blijft het zo, controleer dan het netwerk en de server.',
    full: 'De database van de vloot op {{host}} heeft geen vrije verbinding, geheugen of schijfruimte meer ({{reason}}), dus er is niets aangemaakt: meld het de beheerder. Packbench probeert het vanzelf opnieuw.',
  },
  'fleet-access-refused':
    'De database van de vloot op {{host}} weigert gebruiker {{user}}: controleer gebruikersnaam en wachtwoord, en of de server deze computer toelaat.',
  'fleet-password-missing':
    'Er is geen wachtwoord bewaard voor gebruiker {{user}} van de database van de vloot op {{host}}, dus er wordt niets nieuws aangemaakt: typ het onder Instellingen, Vloot.',
  'fleet-database-missing':
    'De server {{host}} heeft geen database {{database}}: controleer de naam, of laat hem aanmaken (docs/fleet.md).',
  'fleet-no-rights':
    'Gebruiker {{user}} mist rechten in database {{database}} op {{host}} ({{reason}}): geef ze zoals docs/fleet.md beschrijft.',
  'fleet-server-old':
    'De database van de vloot draait op PostgreSQL {{version}}, en dat is te oud: versie 13 of nieuwer is nodig.',
  'fleet-clock-differs':
    'De klok van deze computer en die van de databaseserver verschillen {{seconds}} s: zet beide gelijk met een tijdserver en test opnieuw.',
  'fleet-insecure': {
    other:
      'Er kon geen beveiligde verbinding met de database van de vloot op {{host}} gemaakt worden ({{reason}}): controleer het certificaat van de server en het certificatenbestand in de instellingen.',
    'not-offered':
      'De database van de vloot op {{host}} biedt geen versleuteling: zet TLS aan in PostgreSQL. Er is niets naartoe gestuurd.',
    'ca-file':
      'Het certificatenbestand {{path}} kan niet gelezen worden ({{reason}}): verbeter het onder Instellingen, Vloot.',
  },
  'fleet-schema-newer':
    'Een nieuwere Packbench beheert de database van de vloot (schema {{version}}, deze kent {{known}}), dus dit station schrijft daar niets en maakt niets nieuws aan: werk Packbench hier bij.',
  'fleet-station-twice':
    'Een station met de identiteit van dit station is al met de vloot verbonden: de gegevensmap is gekopieerd, of een eerdere verbinding eindigt net. Hier wordt niets nieuws aangemaakt. Packbench probeert het vanzelf opnieuw; docs/fleet.md zegt wat u met een gekopieerde gegevensmap doet.',
  'fleet-station-copied':
    'Deze gegevensmap is niet de map die het laatst als dit station werkte: ze is gekopieerd, teruggezet of verloren verklaard, en weet dus niet wat er elders is verstuurd. Hier wordt niets nieuws aangemaakt. Gebruik de nieuwere map, of druk op “Als nieuw station meedoen…” onder Instellingen, Vloot; dat moet ook voordat ze de vloot kan verlaten. docs/fleet.md zegt wat u nakijkt.',
  'fleet-station-lost':
    'Iemand heeft dit station verloren verklaard, dus wat het aanmaakte is door anderen afgehandeld. Hier wordt niets nieuws aangemaakt: druk op “Als nieuw station meedoen…” onder Instellingen, Vloot; dat moet ook voordat het de vloot kan verlaten. docs/fleet.md zegt wat u nakijkt.',
  'fleet-station-present':
    'Station {{station}} is verbonden, of was dat een paar minuten geleden: er is niets gewijzigd. Een station kan na 15 minuten stilte verloren verklaard worden.',
  'fleet-holds-references': {
    other:
      'Dit station houdt nog referenties van de vloot vast, die na zijn vertrek niemand kan verzenden ({{count}}: {{references}}). Er is niets gewijzigd: wacht op wat onderweg is, handel de onbekende zendingen af en zet de vloot dan uit.',
    'other-database':
      'Dit station houdt nog referenties vast in de database waarmee het werkt, die de stations daar nooit kunnen verzenden ({{count}}: {{references}}). Er is niets gewijzigd: wacht op wat onderweg is, handel de onbekende zendingen af en kies dan de andere database.',
  },
  'fleet-label-damaged':
    'De vloot heeft dit label, maar niet zoals het station dat verzond het heeft opgeslagen, dus het wordt niet afgedrukt: druk het op dat station af.',
  'fleet-labels-incomplete':
    'De vloot heeft nog niet alle labels van deze zending, dus worden ze niet samen afgedrukt: druk de labels die er zijn één voor één af, probeer het later opnieuw, of druk ze af op het station dat verzond.',
  'fleet-not-joined':
    'Dit station is op dit moment niet met de vloot verbonden: probeer het opnieuw zodra dat zo is.',
  'fleet-settings-missing': {
    other:
      'Dit station hoort bij een vloot, maar zijn instellingen zeggen niet bij welke, omdat ze ontbreken of apart zijn bewaard. Hier wordt niets nieuws aangemaakt: zet settings.json terug, vul de database van de vloot in onder Instellingen, Vloot, of verlaat daar de vloot.',
    'as-new':
      'De instellingen zeggen niet bij welke vloot dit station moet meedoen, omdat ze ontbreken of apart zijn bewaard. Er is niets gewijzigd: zet settings.json terug of vul de database van de vloot in onder Instellingen, Vloot, en druk daarna opnieuw op de knop.',
  },
  'fleet-not-own':
    'De database {{database}} op {{host}} is niet die van de vloot waar dit station bij hoort, dus er wordt niets nieuws aangemaakt: verbeter hem onder Instellingen, Vloot, of verlaat daar eerst de vloot.',
  'fleet-failed':
    'De database van de vloot op {{host}} faalt ({{reason}}), dus er wordt niets nieuws aangemaakt: meld het de beheerder. Packbench probeert het vanzelf opnieuw.',
  'provisioning-invalid': 'Het inrichtingsbestand {{file}} bevat fouten. Er is niets gewijzigd.',
  'settings-invalid':
    'De instellingen in {{file}} zijn niet bruikbaar: verbeter het bestand, of zet het apart om met standaardinstellingen te beginnen.',
  'change-not-confirmed':
    'De nieuwe plaats ({{places}}) is niet bevestigd: er is niets gewijzigd en niets geopend.',
  'settings-not-saved': {
    other:
      'De instellingen konden niet opgeslagen worden in {{file}}, dus er is niets gewijzigd: maak ruimte, of geef deze gebruiker het recht om daar te schrijven, en sla ze opnieuw op.',
    credentials: 'De inloggegevens konden niet bewaard worden in {{file}}: ze gelden tot Packbench sluit.',
    'credentials-left':
      'De inloggegevens konden niet uit {{file}} verwijderd worden: maak ruimte op de schijf en vergeet het account dan opnieuw.',
    'not-set-aside':
      'Het bestand {{file}} kon niet hernoemd worden: hernoem het met de hand en probeer het opnieuw.',
  },
  'order-file-invalid': {
    other: 'Het orderbestand {{file}} kan niet gelezen worden: verbeter het en zet het opnieuw in de map.',
    file: 'Van {{file}} is niets verzonden: {{problem}}.',
    row: 'Zending {{line}} kan niet gelezen worden: {{problem}}.',
    fields: 'Verbeter zending {{line}} en zet haar opnieuw in de map: {{problem}}.',
  },
  'order-file-changed': {
    other:
      'Zending {{line}} van {{file}} is gewijzigd nadat het bestand was aangenomen, en wat er nu staat is niet verzonden. Vergelijk het met wat is aangemaakt, en zet de zending zo nodig in een eigen bestand opnieuw in de map.',
    added:
      'Zending {{line}} is aan {{file}} toegevoegd nadat het bestand was aangenomen en is dus niet verzonden. Zet haar in een eigen bestand opnieuw in de map.',
    unreadable:
      'Het orderbestand {{file}} is gewijzigd nadat het was aangenomen, en nu geldt: {{problem}}. De uitkomsten hiervoor gaan over wat er bij het aannemen in stond; verder is er niets van verzonden.',
    'before-restart':
      'Het orderbestand {{file}} is gewijzigd nadat het was aangenomen en voordat Packbench opnieuw werd gestart; zending {{line}} is dus niet verzonden. Zet haar in een eigen bestand opnieuw in de map.',
  },
  'order-journal-lost':
    'Het orderbestand {{file}} lag in work/ en de database van deze Packbench kent het niet; of {{reference}} eerder is aangemaakt is dus niet bekend, en er is niets verzonden. Vraag het de service en zet de order opnieuw in de map als de zending daar niet bestaat.',
  'addresses-invalid':
    'Op “{{part}}” kan niet naar printers gezocht worden: geef IPv4-adressen van het eigen netwerk zoals 192.168.1.20, reeksen zoals 192.168.1.20-60 of netwerken zoals 192.168.1.0/24, samen hoogstens 1024 adressen.',
  'order-file-ignored': {
    other:
      'De hot folder neemt alleen bestanden aan waarvan de naam eindigt op “.json” of “.csv”, dus {{file}} blijft daar. Sla het zo op, of haal het weg.',
    table:
      'De hot folder neemt dit rekenblad niet aan, dus {{file}} blijft daar. Kies voor de hot folder een koppeling onder Instellingen, Station (alleen XLSX), of sla de gegevens op als CSV met de veldnamen van de service.',
    'no-file':
      'De hot folder neemt {{file}} niet aan: het is een map, een snelkoppeling (symlink) of een apparaat. Zet het orderbestand zelf daar.',
    name: 'De hot folder neemt {{file}} niet aan omdat de naam niet in UTF-8 is: hernoem het.',
  },
  'order-issue-not-open': 'Dit probleem van de hot folder was al afgesloten: er is niets gewijzigd.',
  'order-not-sendable':
    'Deze zending kan alleen in haar bestand {{file}} verbeterd worden: verbeter haar daar en zet het bestand opnieuw in de map.',
  'hot-folder-not-working':
    'De hot folder werkt op dit moment niet, dus {{reference}} is niet verzonden: zet hem aan onder Instellingen, Station, of kijk waarom hij wacht, en verzend dan opnieuw.',
  'order-not-holdable': {
    other:
      'Zending {{line}} van {{file}} heeft douanegegevens, en die kan een order die in de lijst wacht niet hebben. Er is niets van verzonden: laat de hot folder direct verzenden, of voer de douanegegevens in bij Verzenden.',
    printer:
      'Zending {{line}} van {{file}} noemt een printer, en dat kan een order die in de lijst wacht niet. Er is niets van verzonden: laat de printer weg en kies hem met een regel of de routering, of laat de hot folder direct verzenden.',
    carrier:
      'Zending {{line}} van {{file}} noemt een andere vervoerder dan het station bij zijn vervoerdersoptie heeft, en dat kan een order die in de lijst wacht niet. Er is niets van verzonden: laat de vervoerder weg, of laat de hot folder direct verzenden.',
  },
  'order-skipped':
    'De order {{reference}} is op het station uit de lijst gehaald, en er is niets verzonden: {{note}}. Zet de order opnieuw in de map als hij toch verzonden moet worden.',
  'order-file-not-readable':
    'Het orderbestand {{file}} kan niet worden gelezen en blijft daar: geef deze gebruiker het recht om het te lezen. Andere orderbestanden gaan door.',
  'hot-folder-taken':
    'De hot folder {{folder}} hoort bij de Packbench op computer {{host}} met gegevensmap {{dataFolder}}: hier blijft alles in die map onaangeroerd. Zet de hot folder daar uit of kies hier een andere. Verwijder {{file}} alleen als dat station er niet meer is, of als zijn gegevensmap verplaatst is.',
  'hot-folder-taken-by-copy':
    'Een kopie van dit station (proces {{process}}) heeft de hot folder {{folder}} overgenomen ({{since}}): hier blijft alles in die map onaangeroerd. Geef een van beide een eigen gegevensmap en hot folder en verwijder daarna {{file}}.',
  'hot-folder-owner-unreadable':
    'Het bestand {{file}}, waarin staat van wie de hot folder {{folder}} is, kan niet worden gelezen: de map blijft onaangeroerd. Verwijder dat bestand als geen andere Packbench de map gebruikt.',
  'hot-folder-shared':
    'De stations van een vloot delen de hot folder {{folder}}: hier blijft alles in die map onaangeroerd. Zet “Andere stations nemen er ook bestanden uit” aan onder Instellingen, Station, of kies een andere map.',
  'hot-folder-station-left':
    'De hot folder {{folder}} werd gedeeld, en in {{path}} ligt nog een orderbestand dat daar niet vandaan gehaald kan worden, {{orderFile}}: er wordt niets aangenomen tot het weg is. Laat het station dat het aannam het afmaken, met de map weer gedeeld. Is dat station er niet meer, vraag de service dan welke orders van de bestanden in “begun” daar bestaan en zet de bestanden daarna in “in”.',
  'hot-folder-without-fleet':
    'De hot folder {{folder}} moet gedeeld worden en dit station hoort nog bij geen vloot: alles in die map blijft onaangeroerd. Sluit het station aan onder Instellingen, Vloot, of zet “Andere stations nemen er ook bestanden uit” uit.',
  'hot-folder-other-fleet':
    'De hot folder {{folder}} wordt door een andere vloot gedeeld, of de database van deze vloot is teruggezet: alles in die map blijft onaangeroerd. Verwijder {{file}} als geen station van een andere vloot de map gebruikt.',
  'hot-folder-missing': {
    other:
      'De map {{file}} ontbreekt: zet hem terug of kies een andere hot folder onder Instellingen, Station. Orderbestanden wachten tot dan.',
    replaced:
      'Op de plaats van {{file}} staat een andere map, dus het orderbestand {{name}} wacht: zet de map terug waarin het stond. Andere orderbestanden gaan door, behalve die met dezelfde naam.',
  },
  'hot-folder-linked':
    'De map {{path}} van de hot folder is een snelkoppeling (symlink) en kan ergens anders heen leiden: zet er een map voor in de plaats. Orderbestanden wachten tot dan.',
  'hot-folder-on-two-disks':
    'De mappen in, work, done en failed in {{file}} staan niet op één schijf, dus orderbestanden kunnen niet worden verplaatst: zet ze op één schijf. Orderbestanden wachten tot dan.',
  'hot-folder-not-answering': {
    other:
      'De schijf of netwerkmap van {{file}} antwoordt niet: controleer de verbinding. Orderbestanden wachten tot dan.',
    slow: 'Het lezen van de hot folder {{file}} duurt lang, of de schijf of netwerkmap antwoordt niet: controleer de verbinding. Orderbestanden wachten tot dan.',
  },
  'hot-folder-not-started':
    'De hot folder kon niet worden gestart: sla de instellingen opnieuw op of start Packbench opnieuw.',
  'disk-full': {
    other: 'De schijf is vol: maak ruimte vrij en probeer het opnieuw.',
    'too-little':
      'Op de schijf is nog {{megabytes}} MB vrij, te weinig om een label veilig te bewaren. Er is niets verstuurd: maak ruimte en druk nog eens.',
    'data-folder':
      'Packbench kan niet schrijven in zijn gegevensmap {{file}}: {{reason}}. Er is niets verstuurd: maak ruimte op de schijf; Packbench probeert het vanzelf opnieuw.',
    database:
      'De database {{file}} kan niet geopend worden, omdat de schijf vol is. Er is niets gewijzigd: maak ruimte op de schijf en probeer het opnieuw.',
    'print-folder': 'De schijf van de map {{file}} is vol: maak ruimte en druk opnieuw af.',
    'hot-folder':
      'De schijf van {{file}} is vol, dus orderbestanden wachten: maak ruimte. De hot folder gaat daarna vanzelf verder.',
  },
  'folder-not-writable': {
    other:
      'Geen recht om te schrijven in de map {{file}}: geef deze gebruiker dat recht en probeer het opnieuw.',
    'data-folder':
      'Packbench kan niet schrijven in zijn gegevensmap {{file}}: {{reason}}. Er is niets verstuurd: geef deze gebruiker het recht om daar te schrijven, of start met --user-data-dir=DIR; Packbench probeert het vanzelf opnieuw.',
    database:
      'Packbench mag de database {{file}} niet schrijven: geef deze gebruiker dat recht en probeer het opnieuw.',
    'print-folder':
      'Het label kon niet in de map {{file}} geschreven worden: controleer of die bestaat en of deze gebruiker er mag schrijven, en druk opnieuw af.',
    'print-folder-silent':
      'De map {{file}} antwoordt niet, dus het label is er niet in geschreven: controleer de schijf of netwerkmap.',
    'hot-folder':
      'Packbench mag {{file}} niet lezen en schrijven, dus orderbestanden wachten: geef deze gebruiker dat recht. De hot folder gaat daarna vanzelf verder.',
  },
  'database-newer': {
    other:
      'De database {{file}} is door een nieuwere Packbench geschreven (versie {{version}}; deze kent {{known}}). Er is niets gewijzigd: installeer de nieuwere Packbench weer, of start met een andere gegevensmap.',
    backup:
      'De database {{file}} is door een nieuwere Packbench geschreven (versie {{version}}; deze kent {{known}}). Er is niets gewijzigd: installeer de nieuwere Packbench weer, of zet hier {{backup}} terug, de kopie van voor de update. Wat sindsdien is verzonden wordt uit de labelmap aangevuld en blijft bewaakt.',
  },
  'history-missing':
    'In de labelmap {{file}} liggen zendingen ({{count}}) die de historie niet kent: de database is verwijderd of vervangen. Er wordt niets verstuurd, omdat hun referenties dan opnieuw verzonden zouden worden: bouw de historie opnieuw op uit de labelmap, of zet de database terug en probeer het opnieuw.',
  'database-in-use':
    'Een ander programma heeft de database {{file}} open. Er is niets gewijzigd: sluit dat programma en probeer het opnieuw.',
  'database-damaged':
    'De database {{file}} is beschadigd. Er wordt niets verstuurd, omdat referenties dan opnieuw verzonden zouden kunnen worden: zet een reservekopie terug, of bouw de historie opnieuw op uit de labelmap.',
  'database-missing':
    'De database {{file}} ontbreekt of is leeg, maar er zijn kopieën van ({{backups}}). Er wordt niets verstuurd, omdat referenties dan opnieuw verzonden zouden kunnen worden: zet de nieuwste kopie terug, bouw de historie opnieuw op uit de labelmap, of zet de database terug en probeer het opnieuw.',
  'database-checking':
    'De vorige keer is Packbench afgebroken. De database {{file}} wordt gecontroleerd voordat er iets wordt verstuurd; daarna begint Packbench vanzelf.',
  'database-updating': {
    other:
      'Packbench is bijgewerkt en brengt zijn database {{file}} op de nieuwe versie: stap {{step}} van {{steps}}. Laat de computer aan: het werk begint daarna vanzelf.',
    copy: 'Packbench is bijgewerkt en kopieert zijn database {{file}} voordat die verandert. Laat de computer aan: het werk begint daarna vanzelf.',
  },
  'backup-failed': {
    other:
      'In {{path}} kon geen reservekopie worden gemaakt: {{reason}}. Het station werkt verder, met alleen de kopieën in zijn gegevensmap: controleer de map onder Instellingen, Station.',
    database:
      'In {{path}} kon geen reservekopie van de database worden gemaakt: {{reason}}. Het station werkt verder, en Packbench probeert het elke tien minuten opnieuw: controleer de schijf en de rechten van die map.',
    'before-update':
      'De database kon niet naar {{path}} worden gekopieerd voordat de update hem wijzigde: {{reason}}. Het station werkt verder, maar van deze update is er geen kopie om naar terug te gaan: controleer de schijf en de rechten van die map.',
    'not-ended':
      'De kopie naar {{path}} is na een dag nog niet klaar. Controleer de netwerkmap en start Packbench daarna opnieuw; tot dan zijn er alleen de kopieën in de gegevensmap.',
    'no-database':
      'Er is geen reservekopie gemaakt in {{path}}, want de database ontbreekt of is leeg ({{file}}). Er is niets gekopieerd: controleer de gegevensmap, en zet de database terug als hij verloren is.',
    'other-station':
      'Er is geen reservekopie gemaakt in {{path}}: daar staan de kopieën van een ander station ({{station}}). Kies voor dit station een eigen map onder Instellingen, Station. Verwijder “.packbench-backup” daar alleen als dat station er niet meer is.',
  },
  'backup-unusable':
    'De reservekopie {{file}} is niet bruikbaar, en er is niets gewijzigd: zet een andere terug.',
}

export const mayHaveArrived: typeof en.mayHaveArrived = {
  shipment:
    'De service heeft deze zending misschien aangemaakt, misschien niet. De zending wordt niet nog eens verstuurd. Kijk in het portaal van de service of vraag het de service, en handel de zending dan af.',
  manifest:
    'De service heeft het manifest misschien aangenomen: vraag het de service en geef dan aan wat ervan is geworden. Tot dan kan het manifest niet opnieuw worden verzonden.',
  'pre-alert':
    'De service heeft de vooraankondiging misschien aangenomen: vraag het de service en geef dan aan wat ervan is geworden. Tot dan kan er geen andere worden verzonden.',
}
