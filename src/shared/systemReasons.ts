/** English texts for codes of the system and of libraries: parts of a sentence, as after «because». */
export const systemReasons = {
  ECONNREFUSED: 'the connection is refused',
  ECONNRESET: 'the other side cut the connection',
  ECONNABORTED: 'the connection was given up',
  EPIPE: 'the other side closed the connection',
  ETIMEDOUT: 'there is no answer in time',
  EHOSTUNREACH: 'it can’t be reached on the network',
  EHOSTDOWN: 'it is not on the network',
  ENETUNREACH: 'there is no network',
  ENETDOWN: 'there is no network',
  EADDRNOTAVAIL: 'there is no network',
  ENOTFOUND: 'the name is not found on the network',
  EAI_AGAIN: 'the name is not found on the network at the moment',
  ENOENT: 'the file or folder is missing',
  ENOTDIR: 'a folder is missing',
  EISDIR: 'a folder stands where the file should be',
  EEXIST: 'there is a file of that name already',
  EACCES: 'this user has no right to it',
  EPERM: 'this user has no right to it',
  EROFS: 'the disk can only be read',
  ENOSPC: 'the disk is full',
  EDQUOT: 'this user’s share of the disk is full',
  EFBIG: 'the file gets too large',
  EIO: 'the disk has an error',
  EBUSY: 'another program uses it',
  ETXTBSY: 'another program uses it',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENODEV: 'the device is missing',
  ENXIO: 'the device is missing',
  ENOTCONN: 'the network folder is not connected',
  ESTALE: 'the network folder is not connected',
  UND_ERR_CONNECT_TIMEOUT: 'there is no answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'there is no answer in time',
  UND_ERR_BODY_TIMEOUT: 'there is no answer in time',
  UND_ERR_SOCKET: 'the other side cut the connection',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet: check this computer’s clock',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is signed by nobody who is trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is signed by nobody who is trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is signed by nobody who is trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is signed by nobody who is trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another address',
  'no-certificate': 'there is no certificate of an authority in it',
  'connection-refused': 'the connection is refused',
  'name-not-found': 'the name is not found on the network',
  'connect-timeout': 'there is no answer in time',
  unreachable: 'it can’t be reached on the network',
  'address-not-allowed': 'it has an address of a private network',
  'private-address': 'it has an address of a private network',
  closed: 'the app was closing',
  'no-web-address': 'its address is not a web address',
  'other-scheme': 'its address is not as secure as the service’s own',
  redirects: 'its address leads on too often',
  'service-unreachable': 'it can’t be reached on the network',
  'service-insecure': 'no secure connection could be made',
  'proxy-failed': 'the proxy could not be used',
  'service-timeout': 'there is no answer in time',
  'service-connection-lost': 'the connection broke before the answer was complete',
  'service-answer-not-understood': 'what came is too large',
  empty: 'what came is empty',
  'no-cipher': 'this computer’s keyring can’t be opened',
  'not-decipherable': 'they were stored by another user or computer',
  SQLITE_BUSY: 'another program uses the database',
  SQLITE_LOCKED: 'another program uses the database',
  SQLITE_FULL: 'the disk is full',
  SQLITE_IOERR: 'the disk has an error',
  SQLITE_READONLY: 'the database can only be read',
  SQLITE_CANTOPEN: 'the database can’t be opened',
  SQLITE_CORRUPT: 'the database is damaged',
  SQLITE_NOTADB: 'the file is no database',
  'database or disk is full': 'the disk is full',
  'disk I/O error': 'the disk has an error',
  'attempt to write a readonly database': 'the database can only be read',
  'unable to open database file': 'the database can’t be opened',
  'database is locked': 'another program uses the database',
  'database disk image is malformed': 'the database is damaged',
  'file is not a database': 'the file is no database',
  'it is encrypted': 'it is encrypted',
  'the database is missing or empty': 'the database is missing or empty',
  'the PDF is damaged': 'the PDF is damaged',
  'it has no pages': 'it has no pages',
  'its pages are too large': 'its pages are too large',
  'a page of it is damaged': 'a page of it is damaged',
  'it takes too much memory': 'it takes too much memory',
  'it takes too long to draw': 'it takes too long to draw',
  'it would come out blank': 'it would come out blank',
}

/**
 * Why an answer of the service can't be understood: English parts of a sentence for the log and the hot folder. The screen
 * says only that it can't be.
 */
export const unreadableAnswerReasons = {
  'no-object': 'it is not a JSON object',
  'no-object-or-cut': 'it is not a JSON object, or it is cut off',
  cut: 'it broke off',
  'too-large': 'it is larger than {{limit}} bytes',
  'too-large-or-cut': 'it is too large, or it broke off',
  'no-apikey': 'it has no «apikey»',
  'no-state': 'its «state» is neither true nor false',
  'no-ok': 'its «ok» is neither true nor false',
  'items-without-codes': 'its «items» do not say which codes they are of',
  'created-unclear': 'it does not say clearly whether the shipment was created',
}
export type UnreadableAnswerReason = keyof typeof unreadableAnswerReasons

export type SystemReason = keyof typeof systemReasons

function isSystemReason(text: string): text is SystemReason {
  return Object.hasOwn(systemReasons, text)
}

/** Codes that can be recognised inside other text; «unreachable», for example, only when it is the whole text. */
const recognisableCodes = Object.keys(systemReasons).filter((code) => /[A-Z_ ]/.test(code))
const codeInText = new RegExp(`(?<![\\w-])(?:${recognisableCodes.join('|')})(?![a-z-])`)

/** Whether a reason is an internal code of the app, which means nothing to a person. */
export function isInternalReason(text: string): boolean {
  return isSystemReason(text) && !recognisableCodes.includes(text)
}

/** Finds a known code anywhere in a system's message («write EPIPE»). */
export function findSystemReason(text: string): SystemReason | undefined {
  const code = isSystemReason(text) ? text : codeInText.exec(text)?.[0]
  return code !== undefined && isSystemReason(code) ? code : undefined
}
