import type { Texts } from '../en'

export const queue: Texts['queue'] = {
  title: 'Afdrukwachtrij',
  count_one: '{{count}} opdracht niet klaar',
  count_other: '{{count}} opdrachten niet klaar',
  printers: 'Printers',
  noPrinters: 'Er is nog geen printer ingesteld.',
  addPrinter: 'Voeg er een toe bij Instellingen',
  pause: 'Pauzeren',
  resume: 'Hervatten',
  reprintLast: 'Laatste opnieuw',
  pauseOf: 'Pauzeren: {{printer}}',
  resumeOf: 'Hervatten: {{printer}}',
  reprintLastOf: 'Laatste opnieuw: {{printer}}',
  ready: 'Gereed',
  busy: 'Drukt af',
  trouble: 'Vraagt aandacht',
  unknown: 'Toestand onbekend',
  paused: 'Gepauzeerd',
  waiting_one: '{{count}} opdracht wacht',
  waiting_other: '{{count}} opdrachten wachten',
  jobsOf: 'Opdrachten van {{printer}}',
  openJobs: 'Niet klaar',
  through: 'Klaar',
  nothing: 'Er wacht niets',
  nothingHint: 'Labels staan hier vanaf het moment dat ze bewaard zijn tot een printer ze heeft.',
  showThrough: 'Toon opdrachten die klaar zijn',
  preview: 'Voorbeeld',
  previewOf: 'Voorbeeld van het label van {{reference}}',
  pages: 'pagina’s {{from}} tot en met {{to}}',
  scanned: 'gescand en juist',
  choose: 'Kies wat er wordt afgedrukt',
  allow: 'Deze opdrachten toestaan',
  move: 'Verplaatsen',
  show: 'Toon in Historie',
}

export const placement: Texts['placement'] = {
  title: 'Welk deel van de pagina is het label?',
  explain:
    'Pagina {{page}} is {{pageSize}}, de labels in {{printer}} zijn {{stockSize}}. Kies één keer; het geldt voor elke zulke pagina van deze vervoerdersoptie.',
  suggestions: 'Voorstellen',
  suggestion: 'Voorstel {{number}}',
  left: 'Vanaf links (mm)',
  top: 'Vanaf boven (mm)',
  width: 'Breedte (mm)',
  height: 'Hoogte (mm)',
  turn: 'Draaien',
  scale: 'Grootte (%)',
  scaleHint: '100 drukt op ware grootte af. Andere groottes kunnen barcodes onleesbaar maken.',
  label: 'Label {{number}}',
  labels: 'Labels op deze pagina, in de volgorde van afdrukken',
  add: 'Nog een label van deze pagina',
  remove: 'Verwijder het laatste',
  page: 'De pagina, met de gekozen delen omlijnd',
  result: 'Zo wordt het afgedrukt',
  resultNumber: 'Afgedrukt label {{number}}',
  tooLarge: 'Dit deel past niet op het label.',
  save: 'Onthouden en afdrukken',
}

export const printPreview: Texts['printPreview'] = {
  title: 'Zo drukt {{printer}} het af',
  zoom: 'Zoom',
  fit: 'Hele label',
  dots: 'Punt voor punt',
  large: 'Twee keer zo groot',
  pageOf: 'Label {{page}} van {{pages}}',
  previous: 'Vorige label',
  next: 'Volgende label',
  picture: 'Afgedrukt label {{page}} van {{pages}}',
  text: 'Dit label is ZPL: de printer tekent het zelf.',
  from: 'Vanaf pagina',
  to: 'Tot en met pagina',
  reprintPages: 'Deze pagina’s opnieuw afdrukken',
}

export const scan: Texts['scan'] = {
  title: 'Scan het afgedrukte label',
  field: 'Gescande code',
  check: 'Controleren',
  right: 'Dit is het juiste label.',
  wrongTitle: 'STOP: dit is een ander label',
  wrongText:
    'Gescand: {{scanned}}. Het moet zijn: {{expected}}. Zet het pakket apart en kijk welk label erop zit.',
  understood: 'Ik heb nu het juiste label',
  setting: 'Elk label wordt na het afdrukken gescand',
  settingHint: 'Alleen dan heet een opdracht zeker afgedrukt.',
}

export const printerTools: Texts['printerTools'] = {
  check: 'Verbinding testen',
  testLabel: 'Testlabel afdrukken',
  saveFirst: 'Sla de printer eerst op en druk dan een testlabel af.',
  speed: 'Snelheid (1–14 inch/s)',
  speedHint: 'Leeg: zoals op de printer ingesteld',
  greys: 'Grijstinten',
  threshold: 'Scherp (barcodes)',
  dither: 'Punten (foto’s)',
}

export const scanRules: Texts['scanRules'] = {
  group: 'Afgedrukte labels scannen',
  title: 'Vergelijkregels',
  intro:
    'Een gescande code moet gelijk zijn aan de barcode van de zending. Voeg een regel toe voor een vervoerdersoptie waarvan de labels die anders tonen.',
  noCarriers: 'Geef eerst de vervoerdersopties een naam en voeg er dan vergelijkregels voor toe.',
  add: 'Vergelijkregel toevoegen',
  remove: 'Vergelijkregel {{row}} verwijderen',
  repeated: 'Deze vervoerdersoptie heeft al een regel: wijzig die.',
  kind: 'Vergelijking, regel {{row}}',
  kinds: {
    prefix: 'Gelijk na een voorvoegsel',
    length: 'Eerste tekens zijn gelijk',
    part: 'Deel van de andere code',
  },
  prefix: 'Voorvoegsel, regel {{row}}',
  length: 'Aantal tekens, regel {{row}}',
  part: 'Minste tekens, regel {{row}}',
}

export const remembered: Texts['remembered'] = {
  title: 'Onthouden over labels',
  intro:
    'Eén keer gekozen en niet opnieuw gevraagd. Verwijder een regel om het bij het volgende zulke label weer te kiezen.',
  none: 'Er is nog niets onthouden. Keuzes uit de wachtrij staan hier.',
  carrier: 'Vervoerdersoptie',
  subject: 'Labels',
  done: 'Wat er gebeurt',
  option: 'Optie {{id}}',
  pageOnStock: 'Pagina {{page}} op label {{stock}}',
  printed: 'Drukt {{parts}} af',
  zpl: 'ZPL die de printer anders instelt',
  allowed: 'Stuurt {{commands}}',
  remove: 'Vergeten: {{carrier}}, {{subject}}',
}
