interface DecodedText {
  text: string
  encoding: 'UTF-8' | 'UTF-16' | 'Windows-1252'
}

/**
 * Decodes bytes of other programs: UTF-16 with a byte order mark, UTF-8 with or without one, otherwise Windows-1252, the
 * encoding of older Windows programs in Western Europe. UTF-8 may contain letters of which a program cut a part off, which
 * become U+FFFD.
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
    const text = new TextDecoder('utf-8').decode(bytes)
    const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    if (isMarked || isMostlyIntact(text)) return { text, encoding: 'UTF-8' }
    return { text: fromWindows1252(bytes), encoding: 'Windows-1252' }
  }
}

/** Whether more letters beyond ASCII were decoded than not: in Windows-1252 hardly two neighbours form one of UTF-8. */
function isMostlyIntact(text: string): boolean {
  let balance = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit >= 0x80) balance += unit === 0xfffd ? -1 : 1
  }
  return balance > 0
}

/** The characters 80 to 9F of Windows-1252, which Node 20's decoder reads as Latin-1 control characters. */
const upperHalf = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

function fromWindows1252(bytes: Uint8Array): string {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return latin1.replace(/[\u0080-\u009f]/g, (mark) => upperHalf[mark.charCodeAt(0) - 0x80] ?? mark)
}
