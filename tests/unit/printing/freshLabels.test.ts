import { expect, test } from 'vitest'
import { FreshLabels, type PrintableLabel } from '../../../src/main/printing/printableLabel'
import { ok } from '../../../src/shared/result'

function label(labelId: string, bytes: Buffer): PrintableLabel {
  return {
    ...{ labelId, shipmentId: 's', position: 1, barcode: 'B1', reference: 'ORDER-1', carrierOptionId: 34 },
    ...{ kind: 'pdf', bytes },
  }
}

function overStored() {
  const read: string[] = []
  const fresh = new FreshLabels({
    async find(labelId) {
      read.push(labelId)
      return ok(label(labelId, Buffer.from('stored')))
    },
  })
  return { fresh, read }
}

test('gives a label that has just come from memory once, and reads it for every job after the first', async () => {
  const { fresh, read } = overStored()
  fresh.add([label('a', Buffer.from('came'))])
  expect(await fresh.find('a')).toMatchObject({ value: { bytes: Buffer.from('came') } })
  expect(read).toEqual([])
  expect(await fresh.find('a')).toMatchObject({ value: { bytes: Buffer.from('stored') } })
  expect(await fresh.find('b')).toMatchObject({ value: { bytes: Buffer.from('stored') } })
  expect(read).toEqual(['a', 'b'])
})

test('reads the oldest labels again when more wait than fit into memory', async () => {
  const { fresh, read } = overStored()
  const large = Buffer.alloc(9 * 1024 * 1024)
  fresh.add([label('a', large), label('small', Buffer.from('came'))])
  fresh.add([label('b', large)])
  await fresh.find('b')
  await fresh.find('small')
  expect(read).toEqual([])
  await fresh.find('a')
  expect(read).toEqual(['a'])
})
