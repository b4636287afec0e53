/** Bytes as text, and how it was written. */
interface DecodedText {
  text: string
  encoding: 'UTF-8' | 'UTF-16' | 'Windows-1252'
}

/**
 * Turns bytes from elsewhere into text. Bytes that are valid UTF-8 are that, with or without a byte order mark; anything
 * else was written by an older program on Windows in Western Europe.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) {
    return { text: new TextDecoder('utf-16le').decode(bytes), encoding: 'UTF-16' }
  }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) {
    return { text: new TextDecoder('utf-16be').decode(bytes), encoding: 'UTF-16' }
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' }
  } catch {
    return { text: fromWindows1252(bytes), encoding: 'Windows-1252' }
  }
}

/** The characters 80 to 9F of Windows-1252: Node 20's own decoder takes it for Latin-1, where those are none. */
const upperHalf = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

function fromWindows1252(bytes: Uint8Array): string {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return latin1.replace(/[\u0080-\u009f]/g, (mark) => upperHalf[mark.charCodeAt(0) - 0x80] ?? mark)
}
