/** As XLSX files hold them, and as a Dutch spreadsheet program writes them into CSV. */
const errors = new Set(
  (
    '#REF! #N/A #VALUE! #DIV/0! #NAME? #NUM! #NULL! #SPILL! #CALC! ' +
    '#VERW! #N/B #WAARDE! #DEEL/0! #NAAM? #GETAL! #LEEG! #OVERLOOP! #BEREKENEN!'
  ).split(' '),
)

/** Whether a cell holds what a spreadsheet shows in the place of a value: an error, or a formula that has no result. */
export function isCellError(text: string): boolean {
  const first = text[0]
  if (first === '=') return text.length > 1
  // A column too narrow for its number leaves nothing but these marks.
  return first === '#' && (errors.has(text) || /^#{3,}$/.test(text))
}
