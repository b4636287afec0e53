import { expect, it } from 'vitest'
import { type QueuedSlot, Slots } from '../../../src/main/batch/slots'

/** Takes a slot and notes its name when it is granted, or that it was sent away. */
function ask(seen: string[], name: string, place: QueuedSlot): Promise<void> {
  return place.acquire().then((isGranted) => void seen.push(isGranted ? name : `${name} away`))
}

it('grants slots in the order in which the places were taken, also when a later one asks first', async () => {
  const slots = new Slots(() => 1)
  const [first, second, third] = [slots.enqueue(), slots.enqueue(), slots.enqueue()]
  const seen: string[] = []
  const asked = [ask(seen, 'third', third), ask(seen, 'second', second)]
  await Promise.resolve()
  expect(seen).toEqual([])
  await ask(seen, 'first', first)
  first.release()
  await asked[1]
  expect(seen).toEqual(['first', 'second'])
  second.release()
  await asked[0]
  expect(seen).toEqual(['first', 'second', 'third'])
})

it('grants as many slots as the current limit allows', async () => {
  let limit = 2
  const slots = new Slots(() => limit)
  const places = Array.from({ length: 4 }, () => slots.enqueue())
  const seen: string[] = []
  const asked = places.map((place, index) => ask(seen, String(index), place))
  await Promise.all(asked.slice(0, 2))
  expect(seen).toEqual(['0', '1'])
  limit = 1
  places[0]?.release()
  await Promise.resolve()
  expect(seen).toEqual(['0', '1'])
  places[1]?.release()
  await asked[2]
  expect(seen).toEqual(['0', '1', '2'])
})

it('grants the next order a slot when an earlier one leaves the queue without one, and rejects all that wait', async () => {
  const slots = new Slots(() => 1)
  const [first, second, third, fourth] = [slots.enqueue(), slots.enqueue(), slots.enqueue(), slots.enqueue()]
  const seen: string[] = []
  const asked = [ask(seen, 'second', second), ask(seen, 'third', third)]
  first.release()
  await asked[0]
  expect(seen).toEqual(['second'])
  slots.rejectWaiting()
  await asked[1]
  expect(seen).toEqual(['second', 'third away'])
  third.release()
  second.release()
  second.release()
  await ask(seen, 'fourth', fourth)
  expect(seen).toEqual(['second', 'third away', 'fourth'])
})

it('frees a slot while its answer is being written, unless as many answers are being written as there are slots', async () => {
  const slots = new Slots(() => 1)
  const places = Array.from({ length: 3 }, () => slots.enqueue())
  const [first, second] = places
  const seen: string[] = []
  const asked = places.map((place, index) => ask(seen, String(index), place))
  await asked[0]
  first?.markAnswered()
  first?.markAnswered()
  await asked[1]
  second?.markAnswered()
  await Promise.resolve()
  expect(seen).toEqual(['0', '1'])
  first?.release()
  await asked[2]
  expect(seen).toEqual(['0', '1', '2'])
})
