/** Characters beyond Latin-1, with the backslashes before them. */
const wide = /(\\*)([\u0100-\uffff])/g

/**
 * Writes characters beyond Latin-1 as escapes. V8 stores a script that contains one of them, such as «’» in a message, with two
 * bytes per character, for the whole run and in every process and thread that loads it.
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
 * @param {string} code a script without such characters in identifiers and in raw strings (`String.raw`), where escapes have no effect
 * @returns {string} the same script in Latin-1
 */
export function escapeWide(code) {
  return code.replace(wide, (_, /** @type {string} */ slashes, /** @type {string} */ letter) => {
    // An odd number of backslashes ends with one that escapes the character itself and is dropped.
    const before = slashes.slice(slashes.length % 2)
    return `${before}\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
