import type { Deviation } from './deviation'

type Headers = ReadonlyArray<readonly [name: string, value: string]>

const CREDENTIAL_HEADERS = ['AUTH_USER', 'AUTH_PW']

function sameLetters(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

/** Checks that both credential headers are there once, in the specification's exact spelling. */
export function checkCredentialHeaders(headers: Headers): Deviation[] {
  return CREDENTIAL_HEADERS.flatMap((expected): Deviation[] => {
    const where = `header.${expected}`
    const given = headers.filter(([name]) => sameLetters(name, expected))
    const [first] = given
    if (first === undefined)
      return [{ kind: 'missingHeader', where, message: `Header ${expected} is missing.` }]
    if (given.length > 1) {
      return [{ kind: 'unexpectedHeader', where, message: `Header ${expected} is there more than once.` }]
    }
    if (first[0] === expected) return []
    return [{ kind: 'wrongCasing', where, message: `Header ${first[0]} must be written ${expected}.` }]
  })
}

/** Checks that nothing which carries credentials travels on a request that must not have them (spec, Authentication). */
export function checkNoCredentials(headers: Headers): Deviation[] {
  return headers
    .filter(([name]) => /^(auth[_-].*|authorization|proxy-authorization|cookie)$/i.test(name))
    .map(([name]) => ({
      kind: 'unexpectedHeader',
      where: `header.${name}`,
      message: `Header ${name} must be sent to GET /auth only.`,
    }))
}

/** Checks for exactly one `Content-Type: application/json`. */
export function checkContentType(headers: Headers): Deviation[] {
  const given = headers.filter(([name]) => sameLetters(name, 'Content-Type')).map(([, value]) => value)
  if (given.length === 1 && given[0] === 'application/json') return []
  const seen = given.length === 0 ? 'is missing' : `is ${given.join(', ')}`
  return [
    {
      kind: 'wrongContentType',
      where: 'header.Content-Type',
      message: `Content-Type must be application/json and ${seen}.`,
    },
  ]
}
