import { hash } from 'node:crypto'

/** The SHA-256 of bytes or of a text in UTF-8, in hexadecimal digits. */
export function toSha256(content: string | Uint8Array): string {
  return hash('sha256', content)
}

/** A deterministic UUID (version 8) from the SHA-256 of the parts. */
export function toHashedId(parts: readonly (string | number)[]): string {
  const bytes = Buffer.from(toSha256(JSON.stringify(parts)), 'hex').subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
