/** Details that mean «the file concerned» and «the printer concerned», in the order in which they are looked for. */
const fileKeys = ['file', 'path', 'folder']
const printerKeys = ['printer', 'printerName', 'queue', 'printerId']

type Details = Readonly<Record<string, string | undefined>>

function getFirst(details: Details, keys: readonly string[]): string | undefined {
  return keys.map((key) => details[key]).find((value) => value !== undefined && value !== '')
}

/** The file or folder that details name; undefined when they name none. */
export function findFile(details: Details): string | undefined {
  return getFirst(details, fileKeys)
}

/**
 * Puts details into a sentence with `{{name}}` for each. What is missing is left out: a part in brackets as a whole.
 * `{{file}}` and `{{printer}}` take any detail that names one.
 */
export function fillSentence(template: string, details: Details): string {
  const known: Details = { ...details, file: findFile(details), printer: getFirst(details, printerKeys) }
  const isMissing = (text: string) =>
    [...text.matchAll(/\{\{(\w+)\}\}/g)].some(([, name]) => !known[name ?? ''])
  return template
    .replaceAll(/ ?\([^()]*\)/g, (part) => (isMissing(part) ? '' : part))
    .replaceAll(/ ?\{\{\w+\}\}/g, (part) => (isMissing(part) ? '' : part))
    .replaceAll(/:(?=\.)/g, '')
    .replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => known[name] ?? '')
}
