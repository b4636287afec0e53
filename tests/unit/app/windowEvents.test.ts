import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { forwardEvents } from '../../../src/main/app/windowEvents'
import { createEventBus } from '../../../src/main/lib/eventBus'
import type { EventMessage } from '../../../src/shared/bridge'
import { sampleJob } from '../../support/screenSamples'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

function forwarding() {
  const bus = createEventBus()
  const sent: (readonly EventMessage[])[] = []
  const flush = forwardEvents(bus, (events) => sent.push(events))
  return { bus, sent, flush }
}

const queued = sampleJob({ id: 'first', state: 'queued' })
const sending = sampleJob({ id: 'first', state: 'sending' })
const moved = sampleJob({ id: 'first', state: 'cancelled' })
const other = sampleJob({ id: 'second', state: 'queued' })
const counts = { 'to-ship': 2, problem: 0, shipped: 0, skipped: 0 }
const fewer = { ...counts, 'to-ship': 1, shipped: 1 }

it('forwardEvents sends the first change at once, and the newest state of each later change together after 100 ms', () => {
  const { bus, sent } = forwarding()
  bus.emit('printJobChanged', queued)
  expect(sent).toEqual([[['printJobChanged', queued]]])
  bus.emit('ordersChanged', counts)
  bus.emit('printJobChanged', sending)
  bus.emit('ordersChanged', fewer)
  // The new job of a moved label is sent before the cancelled one.
  bus.emit('printJobChanged', other)
  bus.emit('printJobChanged', moved)
  vi.advanceTimersByTime(99)
  expect(sent).toHaveLength(1)
  vi.advanceTimersByTime(1)
  expect(sent[1]).toEqual([
    ['ordersChanged', fewer],
    ['printJobChanged', other],
    ['printJobChanged', moved],
  ])
  vi.advanceTimersByTime(100)
  bus.emit('ordersChanged', counts)
  expect(sent[2]).toEqual([['ordersChanged', counts]])
})

it('forwardEvents sends any other event at once, after the collected events before it', () => {
  const { bus, sent } = forwarding()
  bus.emit('printJobChanged', queued)
  bus.emit('printJobChanged', sending)
  bus.emit('orderFileIssuesChanged', { open: 1 })
  bus.emit('orderFileIssuesChanged', { open: 2 })
  expect(sent.slice(1)).toEqual([
    [
      ['printJobChanged', sending],
      ['orderFileIssuesChanged', { open: 1 }],
    ],
    [['orderFileIssuesChanged', { open: 2 }]],
  ])
  vi.advanceTimersByTime(1000)
  expect(sent).toHaveLength(3)
})

it('forwardEvents sends the collected events on request, and nothing when there are none', () => {
  const { bus, sent, flush } = forwarding()
  flush()
  bus.emit('printJobChanged', queued)
  bus.emit('printJobChanged', sending)
  flush()
  flush()
  expect(sent).toEqual([[['printJobChanged', queued]], [['printJobChanged', sending]]])
})
