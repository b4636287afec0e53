import { expect, it, onTestFinished } from 'vitest'
import { createEventBus, type EventBus } from '../../../src/main/lib/eventBus'
import { SearchTexts } from '../../../src/main/shipments/searchTexts'
import { sampleShipment } from '../../support/screenSamples'
import { silentLog } from '../../support/silentLog'

/** Starts the indexing on a journal without shipments to index, and counts its queries. */
function startIndexing(bus: EventBus, onLook = () => {}) {
  const counted = { looks: 0 }
  const past = {
    foldSearchTexts: async () => 0,
    async indexWords() {
      counted.looks += 1
      onLook()
      return false
    },
  }
  const texts = new SearchTexts(past, bus, silentLog, 1)
  onTestFinished(() => texts.stop())
  texts.start()
  return counted
}

it('SearchTexts queries the journal at its start, and then only when shipments have changed', async () => {
  const quiet = createEventBus()
  const busy = createEventBus()
  const atRest = startIndexing(quiet)
  const atWork = startIndexing(busy, () => busy.emit('shipmentChanged', sampleShipment()))
  await expect.poll(() => atWork.looks).toBeGreaterThan(5)
  expect(atRest.looks).toBe(1)
  quiet.emit('shipmentChanged', sampleShipment())
  await expect.poll(() => atRest.looks).toBe(2)
})

it('SearchTexts can be stopped while it waits for a change', async () => {
  const bus = createEventBus()
  const texts = new SearchTexts(
    { foldSearchTexts: async () => 0, indexWords: async () => false },
    bus,
    silentLog,
  )
  texts.start()
  await expect(texts.stop()).resolves.toBeUndefined()
})
