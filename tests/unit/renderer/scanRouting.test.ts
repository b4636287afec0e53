import { describe, expect, it } from 'vitest'
import {
  type KnownCode,
  routeScan,
  type ScanContext,
} from '../../../src/renderer/features/scanner/scanRouting'
import {
  arePrefixesAlike,
  commandCode,
  readScan,
  scanCommands,
  scannerSchema,
} from '../../../src/shared/scanner'

const nothing: KnownCode = { isOrder: false, isProduct: false, label: null }
const order = { ...nothing, isOrder: true }
const product = { ...nothing, isProduct: true }
const right = { ...nothing, label: 'right' } as const
const other = { ...nothing, label: 'other' } as const

/** Ship is shown, no field has the cursor, and nothing is in flight. */
const idle: ScanContext = {
  place: 'nowhere',
  isOnShip: true,
  isStopped: false,
  isSending: false,
  isLabelAwaited: false,
  isLabelRequired: false,
  isReferenceEmpty: true,
}

describe('the text of a scan', () => {
  const scanner = scannerSchema.parse({})

  it('is a badge if it has the badge prefix, in upper or lower case', () => {
    expect(readScan('PBBADGE0042', scanner)).toEqual({ kind: 'badge', id: '0042' })
    expect(readScan('pbbadgeAnna', scanner)).toEqual({ kind: 'badge', id: 'Anna' })
  })

  it('is a command if it has the command prefix, even if no such command exists', () => {
    for (const command of scanCommands) {
      expect(readScan(commandCode(command, scanner), scanner)).toEqual({ kind: 'command', command })
    }
    expect(readScan('pbcmdship', scanner)).toEqual({ kind: 'command', command: 'ship' })
    expect(readScan('PBCMDABORT', scanner)).toEqual({ kind: 'command', command: null })
  })

  it('is an ordinary code where command barcodes are off', () => {
    expect(readScan('PBCMDSHIP', { ...scanner, commands: false })).toEqual({ kind: 'code' })
    expect(readScan('PBBADGE0042', { ...scanner, commands: false })).toEqual({ kind: 'badge', id: '0042' })
  })

  it.each([
    ['PBCMD', 'PBBADGE', true, false],
    ['PB', 'pbbadge', true, true],
    ['PBCMD', 'PBC', true, true],
    ['PB', 'PBBADGE', false, false],
  ])(
    'is ambiguous for the command prefix %s and the badge prefix %s (commands on: %s): %s',
    (command, badge, commands, alike) => {
      const own = { ...scanner, commands, commandPrefix: command, badgePrefix: badge }
      expect(arePrefixesAlike(own)).toBe(alike)
    },
  )

  it('is matched with the prefix of the station’s settings', () => {
    const own = { ...scanner, commandPrefix: '%%' }
    expect(readScan('%%SHIP', own)).toEqual({ kind: 'command', command: 'ship' })
    expect(readScan('PBCMDSHIP', own)).toEqual({ kind: 'code' })
  })

  it.each(['ORDER-1', 'PBBADGE', '3SABC0001'])('is neither a badge nor a command for %s', (code) => {
    expect(readScan(code, scanner)).toEqual({ kind: 'code' })
  })
})

describe('a scanned order', () => {
  it.each([
    ['nowhere', true],
    ['text', true],
    ['text', false],
    ['nowhere', false],
    ['label', true],
  ] as const)('opens on Ship with the cursor at %s and Ship shown: %s', (place, isOnShip) => {
    expect(routeScan({ ...idle, place, isOnShip }, order)).toBe('order')
  })

  it('is kept while a shipment is being created', () => {
    expect(routeScan({ ...idle, isSending: true }, order)).toBe('keep')
    expect(routeScan({ ...idle, isSending: true, place: 'text', isOnShip: false }, order)).toBe('keep')
  })
})

describe('a scanned label', () => {
  const awaiting = { ...idle, isLabelAwaited: true }

  it.each(['nowhere', 'text', 'label'] as const)(
    'is accepted as the expected one with the cursor at %s',
    (place) => {
      expect(routeScan({ ...awaiting, place }, right)).toBe('label')
      expect(routeScan({ ...awaiting, place, isSending: true, isOnShip: false }, right)).toBe('label')
      const required = { ...awaiting, isLabelRequired: true }
      expect(routeScan({ ...required, place, isSending: true, isOnShip: false }, other)).toBe('label')
    },
  )

  it('of another parcel is searched for in a text field of another screen, unless the scan is required', () => {
    const place = { ...awaiting, place: 'text', isOnShip: false } as const
    expect(routeScan(place, other)).toBe('field')
    expect(routeScan({ ...place, isSending: true }, other)).toBe('field')
    expect(routeScan({ ...place, isLabelRequired: true }, other)).toBe('label')
    expect(routeScan({ ...place, isStopped: true }, other)).toBe('label')
    expect(routeScan({ ...place, place: 'nowhere' }, other)).toBe('label')
  })

  it('of another parcel stops the station, wherever the cursor is', () => {
    expect(routeScan({ ...awaiting, place: 'text' }, other)).toBe('label')
  })

  it.each(['reference', 'nowhere', 'label', 'no-code'] as const)(
    'never becomes a reference, also when no label is awaited: the cursor is at %s',
    (place) => {
      expect(routeScan({ ...idle, place }, other)).toBe('unknown')
      expect(routeScan({ ...idle, place }, right)).toBe('label')
      expect(routeScan({ ...idle, place, isOnShip: false }, right)).toBe('unknown')
    },
  )

  it('that was scanned before does not keep an order from being opened, and is searched for on other screens', () => {
    expect(routeScan(idle, { ...order, label: 'right' })).toBe('order')
    expect(routeScan(awaiting, { ...order, label: 'right' })).toBe('label')
    expect(routeScan({ ...idle, place: 'text', isOnShip: false }, right)).toBe('field')
  })

  it('is assumed for an unknown code outside of text fields', () => {
    expect(routeScan(awaiting, nothing)).toBe('label')
    expect(routeScan({ ...awaiting, place: 'label' }, nothing)).toBe('label')
    expect(routeScan({ ...awaiting, place: 'text' }, nothing)).toBe('field')
  })

  it('is assumed for an unknown code in the reference where the scan is required', () => {
    expect(routeScan({ ...awaiting, place: 'reference' }, nothing)).toBe('field')
    expect(routeScan({ ...awaiting, place: 'reference', isLabelRequired: true }, nothing)).toBe('label')
  })

  it('is the only scan accepted after a wrong one', () => {
    for (const known of [nothing, order, product, other]) {
      expect(routeScan({ ...awaiting, isStopped: true, place: 'text' }, known)).toBe('label')
    }
  })
})

it('a scanned product is added to the goods, wherever the cursor is', () => {
  expect(routeScan({ ...idle, place: 'text' }, product)).toBe('product')
})

describe('an unknown code', () => {
  it('stays in the text field in which it was typed', () => {
    expect(routeScan({ ...idle, place: 'text' }, nothing)).toBe('field')
    expect(routeScan({ ...idle, place: 'text', isOnShip: false, isSending: true }, nothing)).toBe('field')
  })

  it('does not stay in a number field', () => {
    expect(routeScan({ ...idle, place: 'no-code' }, nothing)).toBe('unknown')
  })

  it('becomes the reference of a form without one', () => {
    expect(routeScan(idle, nothing)).toBe('reference')
    expect(routeScan({ ...idle, isReferenceEmpty: false }, nothing)).toBe('unknown')
    expect(routeScan({ ...idle, isOnShip: false }, nothing)).toBe('unknown')
  })

  it('is kept for the next parcel while a shipment is being created', () => {
    expect(routeScan({ ...idle, isSending: true }, nothing)).toBe('keep')
    expect(routeScan({ ...idle, isSending: true }, other)).toBe('unknown')
    expect(routeScan(idle, other)).toBe('unknown')
  })
})
