import { EventEmitter } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createClient } from '../../../src/preload/client'
import { methods } from '../../../src/shared/bridge'
import { eventsChannel, toChannel } from '../../../src/shared/channels'

const functionSchema = z.custom<(...inputs: unknown[]) => unknown>((value) => typeof value === 'function')

class FakeIpc extends EventEmitter {
  invoke = vi.fn((channel: string, ...inputs: unknown[]) => Promise.resolve([channel, ...inputs]))
}

function makeClient() {
  const ipc = new FakeIpc()
  const client = createClient(ipc)
  return { ipc, client, on: functionSchema.parse(client.on) }
}

describe('the client that the page sees', () => {
  it('has one function for each method of the contract, and on', () => {
    const { client } = makeClient()
    expect(Object.keys(client).sort()).toEqual([...Object.keys(methods), 'on'].sort())
  })

  it('calls the method’s own channel with its input', async () => {
    const { client } = makeClient()
    const track = functionSchema.parse(client.trackCode)
    expect(await track({ code: 'A' })).toEqual([toChannel('trackCode'), { code: 'A' }])
  })

  it.each([undefined, null, 'listener', {}, 1])('takes no %s for a listener', (listener) => {
    const { ipc, on } = makeClient()
    expect(() => on('printJobChanged', listener)).toThrow(new TypeError('A listener must be a function.'))
    ipc.emit(eventsChannel, {}, [['printJobChanged', 'job 1']])
  })

  it('hands on payloads without Electron’s event, and stops the very listener that was added', () => {
    const { ipc, on } = makeClient()
    const first = vi.fn()
    const second = vi.fn()
    const stopFirst = functionSchema.parse(on('printJobChanged', first))
    on('printJobChanged', second)
    ipc.emit(eventsChannel, { sender: 'electron' }, [['printJobChanged', 'job 1']])
    stopFirst()
    ipc.emit(eventsChannel, { sender: 'electron' }, [['printJobChanged', 'job 2']])
    expect(first.mock.calls).toEqual([['job 1']])
    expect(second.mock.calls).toEqual([['job 1'], ['job 2']])
  })

  it('listens to no channel outside the contract', () => {
    const { ipc, on } = makeClient()
    expect(() => on('toString', vi.fn())).toThrow('There is no event named toString.')
    expect(() => on('getSettings', vi.fn())).toThrow()
    expect(ipc.eventNames()).toEqual([eventsChannel])
  })

  it('hands on what came together in its order, each to its own listeners, whatever one of them throws', () => {
    const { ipc, on } = makeClient()
    const reported: (() => void)[] = []
    vi.stubGlobal('queueMicrotask', (report: () => void) => reported.push(report))
    const heard: unknown[] = []
    on('printJobChanged', () => {
      throw new Error('a defect')
    })
    on('printJobChanged', (job: unknown) => heard.push(job))
    on('ordersChanged', (counts: unknown) => heard.push(counts))
    ipc.emit(eventsChannel, {}, [
      ['printJobChanged', 'job 1'],
      ['ordersChanged', 'counts'],
      ['printJobChanged', 'job 2'],
      ['settingsChanged', 'settings'],
    ])
    vi.unstubAllGlobals()
    expect(heard).toEqual(['job 1', 'counts', 'job 2'])
    expect(reported).toHaveLength(2)
    for (const report of reported) expect(report).toThrow('a defect')
  })
})
