import { expect, test } from 'vitest'
import type { PrintableLabel } from '../../../src/main/printing/printableLabel'
import { FreshLabels } from '../../../src/main/printing/queue/printQueue'
import { ok } from '../../../src/shared/result'

function label(labelId: string, bytes: Buffer): PrintableLabel {
  return {
    ...{ labelId, shipmentId: 's', position: 1, barcode: 'B1', reference: 'ORDER-1', carrierOptionId: 34 },
    ...{ kind: 'pdf', bytes },
  }
}

function createFreshLabels() {
  const read: string[] = []
  const fresh = new FreshLabels({
    async find(labelId) {
      read.push(labelId)
      return ok(label(labelId, Buffer.from('stored')))
    },
  })
  return { fresh, read }
}

test('returns a new label from memory once, and reads it from storage for every later job', async () => {
  const { fresh, read } = createFreshLabels()
  fresh.add([label('a', Buffer.from('came'))])
  expect(await fresh.find('a')).toMatchObject({ value: { bytes: Buffer.from('came') } })
  expect(read).toEqual([])
  expect(await fresh.find('a')).toMatchObject({ value: { bytes: Buffer.from('stored') } })
  expect(await fresh.find('b')).toMatchObject({ value: { bytes: Buffer.from('stored') } })
  expect(read).toEqual(['a', 'b'])
})

test('reads the oldest new label from storage when the new labels exceed the memory limit', async () => {
  const { fresh, read } = createFreshLabels()
  const large = Buffer.alloc(9 * 1024 * 1024)
  fresh.add([label('a', large), label('small', Buffer.from('came'))])
  fresh.add([label('b', large)])
  await fresh.find('b')
  await fresh.find('small')
  expect(read).toEqual([])
  await fresh.find('a')
  expect(read).toEqual(['a'])
})
