import { expect, it } from 'vitest'
import { createEventBus } from '../../../src/main/lib/eventBus'

it('the event bus hands an event to every listener of its name and to no other, until it stops listening', () => {
  const bus = createEventBus()
  const heard: string[] = []
  const stop = bus.on('zoomChanged', ({ percent }) => heard.push(`first ${percent}`))
  bus.on('zoomChanged', ({ percent }) => heard.push(`second ${percent}`))
  bus.on('statusOutdated', () => heard.push('status'))
  bus.emit('zoomChanged', { percent: 110 })
  stop()
  bus.emit('zoomChanged', { percent: 125 })
  bus.emit('statusOutdated')
  expect(heard).toEqual(['first 110', 'second 110', 'second 125', 'status'])
})
