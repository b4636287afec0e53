import { hash } from 'node:crypto'

/** A deterministic UUID (version 8) from the SHA-256 of the parts. */
export function toHashedId(parts: readonly (string | number)[]): string {
  const bytes = hash('sha256', JSON.stringify(parts), 'buffer').subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
