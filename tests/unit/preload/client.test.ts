import { EventEmitter } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createClient } from '../../../src/preload/client'
import { methods, toChannel } from '../../../src/shared/bridge'

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
    expect(ipc.listenerCount(toChannel('printJobChanged'))).toBe(0)
  })

  it('hands on payloads without Electron’s event, and stops the very listener that was added', () => {
    const { ipc, on } = makeClient()
    const first = vi.fn()
    const second = vi.fn()
    const stopFirst = functionSchema.parse(on('printJobChanged', first))
    on('printJobChanged', second)
    ipc.emit(toChannel('printJobChanged'), { sender: 'electron' }, 'job 1')
    stopFirst()
    ipc.emit(toChannel('printJobChanged'), { sender: 'electron' }, 'job 2')
    expect(first.mock.calls).toEqual([['job 1']])
    expect(second.mock.calls).toEqual([['job 1'], ['job 2']])
    expect(ipc.listenerCount(toChannel('printJobChanged'))).toBe(1)
  })

  it('listens to no channel outside the contract', () => {
    const { ipc, on } = makeClient()
    expect(() => on('toString', vi.fn())).toThrow('There is no event named toString.')
    expect(() => on('getSettings', vi.fn())).toThrow()
    expect(ipc.eventNames()).toEqual([])
  })
})
