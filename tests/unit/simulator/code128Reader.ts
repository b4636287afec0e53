// The symbol values 0 to 105 of Code 128 (ISO/IEC 15417): widths of three bars and three spaces.
const patterns = [
  '212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231',
  '113222 123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211',
  '212123 212321 232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131',
  '113123 113321 133121 313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111',
  '314111 221411 431111 111224 111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211',
  '241211 221114 413111 241112 134111 111242 121142 121241 114212 124112 124211 411212 421112 421211 212141',
  '214121 412121 111143 111341 131141 114113 114311 411113 411311 113141 114131 311141 411131 211412 211214',
  '211232',
].flatMap((row) => row.split(' '))

const startB = 104
const startC = 105
const toCodeB = 100
const toCodeC = 99

function symbolValues(widths: readonly number[]): number[] {
  // The stop pattern has seven elements, all others have six.
  const values: number[] = []
  for (let at = 0; at + 7 < widths.length; at += 6) {
    const value = patterns.indexOf(widths.slice(at, at + 6).join(''))
    if (value < 0) throw new Error(`No Code 128 symbol has the widths ${widths.slice(at, at + 6).join('')}`)
    values.push(value)
  }
  const stop = widths.slice(-7).join('')
  if (stop !== '2331112') throw new Error(`The stop pattern is missing: ${stop}`)
  return values
}

/** Reads Code 128 (sets B and C) from the widths of its bars and spaces in modules, checksum included. */
export function readCode128(widths: readonly number[]): string {
  const values = symbolValues(widths)
  const [start, ...rest] = values
  const checksum = rest.pop()
  const sum = rest.reduce((total, value, index) => total + value * (index + 1), start ?? 0)
  if (sum % 103 !== checksum) throw new Error('The checksum is wrong')
  let setC = start === startC
  if (!setC && start !== startB) throw new Error(`Unknown start symbol ${start}`)
  let text = ''
  for (const value of rest) {
    if (setC && value === toCodeB) setC = false
    else if (!setC && value === toCodeC) setC = true
    else text += setC ? String(value).padStart(2, '0') : String.fromCharCode(value + 32)
  }
  return text
}
