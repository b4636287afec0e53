const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const endLength = 22
const entryLength = 46
const maxCommentLength = 65_535

/**
 * What the files in a zip archive unpack to together, in bytes, as its directory says: known before anything is
 * unpacked. Undefined when there is no whole directory.
 */
export function unpackedBytes(zip: Buffer): number | undefined {
  const end = findEnd(zip)
  if (end === undefined) return undefined
  const entries = zip.readUInt16LE(end + 10)
  let at = zip.readUInt32LE(end + 16)
  let total = 0
  for (let entry = 0; entry < entries; entry += 1) {
    if (at + entryLength > zip.length || zip.readUInt32LE(at) !== entrySignature) return undefined
    total += zip.readUInt32LE(at + 24)
    at += entryLength + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  return total
}

function findEnd(zip: Buffer): number | undefined {
  const earliest = Math.max(0, zip.length - endLength - maxCommentLength)
  for (let at = zip.length - endLength; at >= earliest; at -= 1) {
    if (zip.readUInt32LE(at) === endSignature) return at
  }
  return undefined
}
