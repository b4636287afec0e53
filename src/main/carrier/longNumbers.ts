/** The beginning of a text, or a number whole. */
const textOrNumber = /"|-?\d[\d.eE+-]*/g

const longWhole = /^-?[1-9]\d{15,}$/

/** Where a long number can stand; an answer without one, such as most, is left alone. */
const mayHoldLongNumber = /(?:^|[[:,\s])-?[1-9]\d{15}/

/**
 * Puts quotes around the whole numbers of a JSON text that JavaScript can't hold exactly, so that no digit of an id is
 * lost. What stands inside the texts of the JSON is not touched.
 */
export function withLongNumbersAsText(json: string): string {
  if (!mayHoldLongNumber.test(json)) return json
  const parts: string[] = []
  let copied = 0
  textOrNumber.lastIndex = 0
  for (let found = textOrNumber.exec(json); found !== null; found = textOrNumber.exec(json)) {
    const [token] = found
    if (token === '"') {
      textOrNumber.lastIndex = endOfText(json, found.index)
    } else if (longWhole.test(token) && !Number.isSafeInteger(Number(token))) {
      parts.push(json.slice(copied, found.index), `"${token}"`)
      copied = textOrNumber.lastIndex
    }
  }
  return parts.join('') + json.slice(copied)
}

/** Behind the closing quote of the text whose opening quote is at `start`. */
export function endOfText(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end === -1 ? json.length : end + 1
}

function isEscaped(json: string, position: number): boolean {
  let before = position
  while (json[before - 1] === '\\') before -= 1
  return (position - before) % 2 === 1
}
