// Seconds are counted from here: ten digits last for centuries.
const epochSeconds = Date.UTC(2024, 0, 1) / 1000
const barcodePrefix = '3SPB'
const maxPerSecond = 1000

function checkDigit(digits: string): number {
  const sum = [...digits].reduce(
    (total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1),
    0,
  )
  return (10 - (sum % 10)) % 10
}

/** A unique number of the service that encodes when it was issued. */
interface IssuedNumber {
  /** 3SPB and fourteen digits: second of creation, serial, check digit. */
  barcode: string
  /** The same as a number, for ids. */
  id: number
}

/**
 * Issues numbers that are unique also across restarts of the simulator: they consist of the second of their creation and a
 * serial number. The same sequence of times gives the same numbers.
 */
export class NumberIssuer {
  private second = 0
  private serial = 0

  /** The next number, for something created at `at`. */
  next(at: Date): IssuedNumber {
    const second = Math.max(this.second, Math.floor(at.getTime() / 1000) - epochSeconds)
    this.serial = second === this.second ? this.serial + 1 : 0
    this.second = second
    // A thousand numbers in one second: borrow from the next second.
    if (this.serial === maxPerSecond) {
      this.second += 1
      this.serial = 0
    }
    const digits = `${String(this.second).padStart(10, '0')}${String(this.serial).padStart(3, '0')}`
    return { barcode: `${barcodePrefix}${digits}${checkDigit(digits)}`, id: Number(digits) }
  }
}

/** When a barcode was issued by this or an earlier run of the simulator; `undefined` for other barcodes. */
export function getIssueTime(barcode: string): Date | undefined {
  const [, digits, check] = /^3SPB(\d{13})(\d)$/.exec(barcode) ?? []
  if (digits === undefined || checkDigit(digits) !== Number(check)) return undefined
  return new Date((Number(digits.slice(0, 10)) + epochSeconds) * 1000)
}
