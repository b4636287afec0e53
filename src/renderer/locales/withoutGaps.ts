/** A sentence without the traces of parts that were not known. */
export function withoutGaps(text: string): string {
  return text
    .replaceAll('()', '')
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/ ([:.,])/g, '$1')
}
