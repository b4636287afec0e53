import { NumberIssuer } from '../../src/simulator/barcodes'

/** Barcodes that a simulator treats as parcels of an earlier run; `at` is their time of issue. */
export function knownBarcodes(count: number, at: Date = new Date()): string[] {
  const issuer = new NumberIssuer()
  return Array.from({ length: count }, () => issuer.next(at).barcode)
}
