import { NumberIssuer } from '../../src/simulator/barcodes'

/** Barcodes that a simulator knows as parcels of an earlier run; `at` is when they were given out. */
export function knownBarcodes(count: number, at: Date = new Date()): string[] {
  const issuer = new NumberIssuer()
  return Array.from({ length: count }, () => issuer.next(at).barcode)
}
