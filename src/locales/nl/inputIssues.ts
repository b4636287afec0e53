import type * as en from '../en'

/** Why a chosen file can't be used: the end of a sentence. */
export const fileIssues: typeof en.fileIssues = {
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
  'no-pdf': 'het is geen PDF, wat de naam ook zegt',
  'unreadable-pdf': 'de pagina’s zijn niet te lezen: het is beschadigd, beveiligd of heeft er te veel',
  'no-space': 'de schijf is vol ({{detail}})',
  'no-quota': 'de schijfruimte van deze gebruiker is op ({{detail}})',
  'no-right': 'deze gebruiker mag daar niet schrijven ({{detail}})',
  'read-only-disk': 'de schijf is alleen-lezen ({{detail}})',
  'disk-error': 'de schijf heeft een storing ({{detail}})',
  'no-folder': 'die map is er niet, of er staat een bestand op die plek ({{detail}})',
  'system-error': 'het systeem weigert het ({{detail}})',
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

/** Each completes «VELD …». */
export const recordIssues: typeof en.recordIssues = {
  required: 'is verplicht',
  'too-long': 'is langer dan 500 tekens',
  'control-character': 'bevat een stuurteken of een onzichtbaar teken',
  country: 'moet een landcode van twee hoofdletters zijn',
  number: 'moet een geheel getal zijn',
  'name-required': 'is verplicht als bedrijfsnaam en voornaam ontbreken',
  'no-object': 'moet een object zijn',
  'no-list': 'moet een lijst zijn',
  'too-few': 'moet minstens {{detail}} element hebben',
  'too-many': 'mag hoogstens {{detail}} elementen hebben',
  'at-least': 'mag niet onder {{detail}} liggen',
  above: 'moet groter zijn dan {{detail}}',
  'at-most': 'mag niet boven {{detail}} liggen',
  'no-date': 'moet een datum zijn zoals 2026-01-31',
  'no-choice': 'moet {{detail}} zijn',
  'not-known': 'is hier geen bekend veld',
  'no-text': 'moet tekst zijn',
  'no-number': 'moet een getal zijn',
  'no-boolean': 'moet true of false zijn',
  'no-decimal': 'moet een getal met een punt zijn, zoals 1.5',
  'no-boolean-word': 'moet true, false, yes, no, Y, N, 1 of 0 zijn',
  'cell-error':
    'bevat een fout van het rekenblad, een formule zonder uitkomst, een datum of afgerond getal in plaats van de waarde, of een afgekapte letter (\uFFFD)',
  'lost-zero': 'moet in dit land vijf cijfers hebben: misschien ontbreekt een nul vooraan',
  'no-option': 'moet een optie van een vervoerder van dit station zijn',
  'customs-needed':
    'ligt waar douanegegevens gevraagd kunnen worden, en die staan niet in een tabel: verzend het met de hand',
  'rule-printer': 'de regel die ervoor geldt noemt de printer “{{detail}}”, die dit station niet heeft',
  'no-printer': 'moet de id van een printer van dit station zijn',
  more: 'en nog {{detail}}',
  other: '{{detail}}',
}
