/** Keys of details that name the file and the printer concerned, in search order. */
const fileKeys = ['file', 'path', 'folder']
const printerKeys = ['printer', 'printerName', 'queue', 'printerId']

type Details = Readonly<Record<string, string | undefined>>

function getFirst(details: Details, keys: readonly string[]): string | undefined {
  return keys.map((key) => details[key]).find((value) => value !== undefined && value !== '')
}

/** The file or folder in the details, if any. */
export function findFile(details: Details): string | undefined {
  return getFirst(details, fileKeys)
}

/**
 * Fills the placeholders `{{name}}` of a sentence with details. A missing detail is left out, with the part in brackets that
 * contains it; commas and semicolons separate these parts. A detail that is a sentence gets no second full stop. `{{file}}` and
 * `{{printer}}` accept any detail that names one.
 */
export function fillSentence(template: string, details: Details): string {
  const known: Details = { ...details, file: findFile(details), printer: getFirst(details, printerKeys) }
  const isMissing = (text: string) =>
    [...text.matchAll(/\{\{(\w+)\}\}/g)].some(([, name]) => !known[name ?? ''])
  const keepKnown = (whole: string, space: string, inner: string) => {
    if (!isMissing(inner)) return whole
    const parts = inner.split(/(?<=[,;]) /).filter((part) => !isMissing(part))
    return parts.length === 0 ? '' : `${space}(${parts.join(' ').replace(/[,;]$/, '')})`
  }
  return template
    .replaceAll(/( ?)\(([^()]*)\)/g, keepKnown)
    .replaceAll(/ ?\{\{\w+\}\}/g, (part) => (isMissing(part) ? '' : part))
    .replaceAll(/:(?=\.)/g, '')
    .replaceAll(/\{\{(\w+)\}\}(\.?)/g, (_, name: string, stop: string) => {
      const detail = known[name] ?? ''
      return detail.endsWith('.') ? detail : `${detail}${stop}`
    })
}
