/** Letters that a text of one byte each has no place for, with the backslashes before them. */
const wide = /(\\*)([\u0100-\uffff])/g

/**
 * Writes letters beyond Latin-1 as escapes. V8 keeps a script with a single one of them, such as a dash in a comment or «’» in a
 * message, with two bytes for each letter, for as long as the program runs, in every process and thread that reads it.
 * @returns {import('vite').Plugin}
 */
export function narrowText() {
  return {
    name: 'narrow-text',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const output of Object.values(bundle)) {
          if (output.type === 'chunk') output.code = escapeWide(output.code)
        }
      },
    },
  }
}

/**
 * @param {string} code a script in which no such letter stands in a name or in text whose escapes are not read, as in `String.raw`
 * @returns {string} the same script of Latin-1 alone
 */
export function escapeWide(code) {
  return code.replace(wide, (_, /** @type {string} */ slashes, /** @type {string} */ letter) => {
    // An odd one belongs to the letter, which it leaves as it is.
    const before = slashes.slice(slashes.length % 2)
    return `${before}\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
