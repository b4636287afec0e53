import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WorkerPool, type WorkerPoolDeps } from '../../../src/main/lib/workerPool'
import { ok } from '../../../src/shared/result'
import { temporaryFolder } from '../../support/temporaryFolder'

interface Calls {
  echo: { input: string; output: { text: string; thread: number } }
  take: { input: () => void; output: never }
  misbehave: { input: 'die' | 'throw' | 'hang' | 'use memory' | 'answer with an error'; output: never }
  spoil: { input: 'ends' | 'throws'; output: undefined }
}

const script = `
  import { parentPort, threadId, workerData } from 'node:worker_threads'
  if (workerData === 'does not start') throw new Error('no start')
  parentPort.on('message', ({ name, input }) => {
    if (input === 'die') process.exit(1)
    if (input === 'throw') throw new Error('broken')
    if (input === 'hang') {
      parentPort.postMessage({ event: 'begun hang' })
      for (;;);
    }
    if (input === 'answer with an error') return parentPort.postMessage({ error: 'no room' })
    if (input === 'use memory') { const kept = []; for (;;) kept.push(new Array(1e6).fill({})) }
    parentPort.postMessage({ event: 'begun ' + input })
    if (globalThis.spoilt === 'ends') process.exit(1)
    if (globalThis.spoilt === 'throws') return parentPort.postMessage({ error: 'no memory left' })
    if (name === 'spoil') {
      globalThis.spoilt = input
      return parentPort.postMessage({ output: undefined })
    }
    if (input === 'end after beginning') process.exit(1)
    if (input === 'dies later') setTimeout(() => process.exit(1))
    parentPort.postMessage({ output: { text: input, thread: threadId } })
  })`

async function startPool(options: Partial<WorkerPoolDeps<string>> = {}) {
  const file = join(await temporaryFolder(), 'worker.mjs')
  await writeFile(file, script)
  const pool = new WorkerPool<Calls, string>({
    script: pathToFileURL(file),
    maxThreads: 1,
    maxHeapMb: 128,
    ...options,
  })
  onTestFinished(() => pool.close())
  return pool
}

describe('a worker pool', () => {
  it.each([
    ['die', 'ended', undefined],
    ['throw', 'ended', 'broken'],
    ['hang', 'timed-out', undefined],
    ['use memory', 'ended', expect.stringContaining('memory')],
  ] as const)(
    'fails only the call with the thread failure «%s» as %s, and runs the queued calls',
    async (how, kind, cause) => {
      const pool = await startPool({ maxTaskMs: how === 'hang' ? 500 : 20_000 })
      const bad = pool.run('misbehave', how)
      const others = ['one', 'two'].map((text) => pool.run('echo', text))
      expect(await bad).toEqual({ ok: false, error: { kind, ...(cause !== undefined && { cause }) } })
      for (const [index, text] of ['one', 'two'].entries()) {
        expect(await others[index]).toMatchObject({ ok: true, value: { text } })
      }
    },
  )

  it('fails every call with the cause when its threads do not start', async () => {
    const pool = await startPool({ workerData: 'does not start' })
    pool.warmUp()
    const answers = await Promise.all(['one', 'two', 'three'].map((text) => pool.run('echo', text)))
    for (const answer of answers) {
      expect(answer).toEqual({ ok: false, error: { kind: 'ended', cause: 'no start' } })
    }
  })

  it('runs a call in a new thread when the last thread ended while idle', async () => {
    const pool = await startPool()
    const first = await pool.run('echo', 'dies later')
    await expect.poll(() => pool.isRunning).toBe(false)
    const second = await pool.run('echo', 'again')
    expect(second).toMatchObject({ ok: true, value: { text: 'again' } })
    expect(second.ok && first.ok && second.value.thread !== first.value.thread).toBe(true)
  })

  it('runs calls in one second thread while the first thread is busy', async () => {
    const pool = await startPool({ maxThreads: 2, maxTaskMs: 5000 })
    const slow = pool.run('misbehave', 'hang')
    const [one, two] = [await pool.run('echo', 'one'), await pool.run('echo', 'two')]
    expect(one.ok && two.ok && one.value.thread === two.value.thread).toBe(true)
    await pool.close()
    expect(await slow).toEqual({ ok: false, error: { kind: 'closed' } })
  })

  it('fails a call that waits for a thread longer than the limit, and every call after closing', async () => {
    const pool = await startPool({ maxWaitMs: 100 })
    const slow = pool.run('misbehave', 'hang')
    expect(await pool.run('echo', 'behind')).toEqual({ ok: false, error: { kind: 'waited-too-long' } })
    await pool.close()
    expect(await slow).toEqual({ ok: false, error: { kind: 'closed' } })
    expect(await pool.run('echo', 'late')).toEqual({ ok: false, error: { kind: 'closed' } })
  })

  it('ends the thread after each call with isThreadPerCall', async () => {
    const pool = await startPool({ isThreadPerCall: true })
    const answers = await Promise.all(['one', 'two'].map((text) => pool.run('echo', text)))
    const threads = answers.map((answer) => (answer.ok ? answer.value.thread : undefined))
    expect(new Set(threads).size).toBe(2)
    expect(pool.isRunning).toBe(false)
  })

  it('keeps the thread of a call that threw with survivesErrors', async () => {
    const pool = await startPool({ survivesErrors: true })
    const first = await pool.run('echo', 'one')
    expect(await pool.run('misbehave', 'answer with an error')).toEqual({
      ok: false,
      error: { kind: 'threw', cause: 'no room' },
    })
    expect(await pool.run('echo', 'one')).toEqual(first)
  })

  it.each(['ends', 'throws'] as const)(
    'repeats a call in a new thread when state left by an earlier call %s in the old thread',
    async (how) => {
      const pool = await startPool({ maxThreads: 2, repeatsEnded: true })
      const spoilt = await Promise.all([pool.run('spoil', how), pool.run('spoil', how)])
      expect(spoilt).toEqual([ok(undefined), ok(undefined)])
      const answers = await Promise.all(['one', 'two', 'three'].map((text) => pool.run('echo', text)))
      expect(answers).toMatchObject(['one', 'two', 'three'].map((text) => ({ ok: true, value: { text } })))
    },
  )

  it('fails a call that ends its thread twice, and runs the next call', async () => {
    const pool = await startPool({ repeatsEnded: true })
    const events: string[] = []
    const bad = pool.run('echo', 'end after beginning', (event) => events.push(event))
    const behind = pool.run('echo', 'behind')
    expect(await bad).toEqual({ ok: false, error: { kind: 'ended' } })
    expect(events).toEqual(['begun end after beginning', 'begun end after beginning'])
    expect(await behind).toMatchObject({ ok: true, value: { text: 'behind' } })
    expect(await pool.run('misbehave', 'use memory')).toEqual({
      ok: false,
      error: { kind: 'ended', cause: expect.stringContaining('memory') },
    })
  })

  it('does not repeat a call that timed out or has input that cannot be cloned', async () => {
    const pool = await startPool({ maxTaskMs: 500, repeatsEnded: true })
    const events: string[] = []
    const hung = pool.run('misbehave', 'hang', (event) => events.push(event))
    expect(await hung).toEqual({ ok: false, error: { kind: 'timed-out' } })
    expect(events).toEqual(['begun hang'])
    expect(await pool.run('take', () => undefined)).toMatchObject({ error: { kind: 'threw' } })
  })

  it('fails a call with input that cannot be cloned, and runs the next call', async () => {
    const pool = await startPool({ maxWaitMs: 5000 })
    const bad = await pool.run('take', () => undefined)
    expect(bad).toEqual({ ok: false, error: { kind: 'threw', cause: expect.stringContaining('clone') } })
    expect(await pool.run('echo', 'next')).toMatchObject({ ok: true, value: { text: 'next' } })
  })

  it('reports events to the handler of the running call, or else to the pool', async () => {
    const events: unknown[] = []
    const pool = await startPool({ onEvent: (event) => events.push(['pool', event]) })
    await pool.run('echo', 'one', (event) => events.push(['call', event]))
    await pool.run('echo', 'two')
    expect(events).toEqual([
      ['call', 'begun one'],
      ['pool', 'begun two'],
    ])
  })
})
