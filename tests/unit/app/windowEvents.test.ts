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
  const told: (readonly EventMessage[])[] = []
  const tell = forwardEvents(bus, (events) => told.push(events))
  return { bus, told, tell }
}

const queued = sampleJob({ id: 'first', state: 'queued' })
const sending = sampleJob({ id: 'first', state: 'sending' })
const moved = sampleJob({ id: 'first', state: 'cancelled' })
const other = sampleJob({ id: 'second', state: 'queued' })
const counts = { 'to-ship': 2, problem: 0, shipped: 0, skipped: 0 }
const fewer = { ...counts, 'to-ship': 1, shipped: 1 }

it('tells the first change at once, and the newest of each thing that follows it together', () => {
  const { bus, told } = forwarding()
  bus.emit('printJobChanged', queued)
  expect(told).toEqual([[['printJobChanged', queued]]])
  bus.emit('ordersChanged', counts)
  bus.emit('printJobChanged', sending)
  bus.emit('ordersChanged', fewer)
  // What took the place of a job is told before that job.
  bus.emit('printJobChanged', other)
  bus.emit('printJobChanged', moved)
  vi.advanceTimersByTime(99)
  expect(told).toHaveLength(1)
  vi.advanceTimersByTime(1)
  expect(told[1]).toEqual([
    ['ordersChanged', fewer],
    ['printJobChanged', other],
    ['printJobChanged', moved],
  ])
  vi.advanceTimersByTime(100)
  bus.emit('ordersChanged', counts)
  expect(told[2]).toEqual([['ordersChanged', counts]])
})

it('tells any other event at once, behind those that came before it', () => {
  const { bus, told } = forwarding()
  bus.emit('printJobChanged', queued)
  bus.emit('printJobChanged', sending)
  bus.emit('orderFileIssuesChanged', { open: 1 })
  bus.emit('orderFileIssuesChanged', { open: 2 })
  expect(told.slice(1)).toEqual([
    [
      ['printJobChanged', sending],
      ['orderFileIssuesChanged', { open: 1 }],
    ],
    [['orderFileIssuesChanged', { open: 2 }]],
  ])
  vi.advanceTimersByTime(1000)
  expect(told).toHaveLength(3)
})

it('tells what waits when it is asked to, and nothing where nothing waits', () => {
  const { bus, told, tell } = forwarding()
  tell()
  bus.emit('printJobChanged', queued)
  bus.emit('printJobChanged', sending)
  tell()
  tell()
  expect(told).toEqual([[['printJobChanged', queued]], [['printJobChanged', sending]]])
})
