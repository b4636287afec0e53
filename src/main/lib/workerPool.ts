import { parentPort, Worker } from 'node:worker_threads'
import { err, ok, type Result } from '../../shared/result'
import { toReason } from './toReason'

/** What can be asked of a worker, by name: input and output. Both are copied by structured clone. */
type WorkerCalls<Calls> = Record<keyof Calls, { input: unknown; output: unknown }>

/** One function for each call. `emit` reports something before the answer is there. */
export type WorkerFunctions<Calls extends WorkerCalls<Calls>, Event = never> = {
  [Name in keyof Calls]: (
    input: Calls[Name]['input'],
    emit: (event: Event) => void,
  ) => Calls[Name]['output'] | Promise<Calls[Name]['output']>
}

/** Which buffers of an answer are handed over instead of copied. */
type Transfers<Calls extends WorkerCalls<Calls>> = {
  [Name in keyof Calls]?: (output: Calls[Name]['output']) => readonly ArrayBuffer[]
}

/** Why a call has no answer. */
export interface WorkerFailure {
  kind: 'timed-out' | 'waited-too-long' | 'ended' | 'threw' | 'closed'
  /** What the error said that ended the thread or the call, where there was one. */
  cause?: string
  /** The code of an error that a call threw, such as ENOSPC; empty where it had none. */
  code?: string
}

export interface WorkerPoolOptions<Event = never> {
  /** A built script that calls `answerCalls`. */
  script: URL
  maxThreads: number
  /** Old generation of each thread's heap; a call that needs more ends its own thread alone. */
  maxHeapMb?: number
  /** From the moment when a thread begins with a call; unlimited when left out. */
  maxTaskMs?: number
  /** Until a thread begins with a call; unlimited when left out. */
  maxWaitMs?: number
  /** Ends a thread with its call, so that nothing of it stays in memory. */
  isThreadPerCall?: boolean
  /** Keeps a thread whose call threw, because it holds what must not get lost. */
  survivesErrors?: boolean
  /**
   * Does a call whose thread ended with it once more, in a new thread, because an earlier call may have left behind what
   * ended it. For calls that have no effect but their answer; one that took too long is not done again.
   */
  repeatsEnded?: boolean
  workerData?: unknown
  /** What a thread reports outside of its calls, or in one that does not listen. */
  onEvent?(event: Event): void
}

type ThreadMessage<Event> = { event: Event } | { output: unknown } | { error: string; code: string }

interface Work<Event> {
  call: { name: PropertyKey; input: unknown }
  onEvent: ((event: Event) => void) | undefined
  waiting: NodeJS.Timeout | undefined
  /** @param hasThreadEnded whether the thread ended with it */
  finish(result: Result<unknown, WorkerFailure>, hasThreadEnded: boolean): void
}

/**
 * Runs calls in threads, one at a time in each. A thread starts when a call would have to wait; one that dies, throws or
 * takes too long is replaced, and only the call that it was working on fails. Why this is no package:
 * docs/decisions/0002-dependencies.md.
 */
export class WorkerPool<Calls extends WorkerCalls<Calls>, Event = never> {
  private readonly queue: Work<Event>[] = []
  private readonly threads = new Set<Thread<Event>>()
  private isClosed = false

  constructor(private readonly options: WorkerPoolOptions<Event>) {}

  /** @param onEvent told what the call's function emits */
  run<Name extends keyof Calls>(
    name: Name,
    input: Calls[Name]['input'],
    onEvent?: (event: Event) => void,
  ): Promise<Result<Calls[Name]['output'], WorkerFailure>> {
    if (this.isClosed) return Promise.resolve(err({ kind: 'closed' }))
    return new Promise((resolve) => {
      let mayRepeat = this.options.repeatsEnded === true
      const finish: Work<Event>['finish'] = (result, hasThreadEnded) => {
        const isLost = !result.ok && ['ended', 'threw'].includes(result.error.kind) && hasThreadEnded
        if (!mayRepeat || !isLost) return resolve(result)
        mayRepeat = false
        this.startThread().begin(work)
      }
      const work: Work<Event> = { call: { name, input }, onEvent, waiting: undefined, finish }
      if (this.options.maxWaitMs !== undefined) {
        work.waiting = setTimeout(() => {
          this.queue.splice(this.queue.indexOf(work), 1)
          resolve(err({ kind: 'waited-too-long' }))
        }, this.options.maxWaitMs)
      }
      this.queue.push(work)
      this.beginNext()
    })
  }

  /** Starts the first thread, so that the first call does not wait for that. */
  warmUp(): void {
    if (!this.isRunning && !this.isClosed) this.startThread()
  }

  /** Whether a thread is there that could keep something between calls. */
  get isRunning(): boolean {
    return [...this.threads].some((thread) => !thread.hasEnded)
  }

  /** Ends all threads; calls without an answer fail as `closed`. */
  async close(): Promise<void> {
    this.isClosed = true
    for (const { waiting, finish } of this.queue.splice(0)) {
      clearTimeout(waiting)
      finish(err({ kind: 'closed' }), false)
    }
    await Promise.all([...this.threads].map((thread) => thread.end({ kind: 'closed' })))
  }

  private startThread(): Thread<Event> {
    const thread = new Thread(this.options, () => this.beginNext())
    this.threads.add(thread)
    return thread
  }

  private beginNext(): void {
    for (const thread of this.threads) if (thread.hasEnded) this.threads.delete(thread)
    while (this.queue.length > 0) {
      const idle = [...this.threads].find((thread) => thread.isIdle)
      if (idle === undefined && this.threads.size >= this.options.maxThreads) return
      const work = this.queue.shift()
      if (work === undefined) return
      clearTimeout(work.waiting)
      const thread = idle ?? this.startThread()
      thread.begin(work)
    }
  }
}

/** One thread and the call that it works on. */
class Thread<Event> {
  hasEnded = false
  private readonly worker: Worker
  private current: { work: Work<Event>; timer: NodeJS.Timeout | undefined } | undefined

  constructor(
    private readonly options: WorkerPoolOptions<Event>,
    private readonly onFree: () => void,
  ) {
    const { script, maxHeapMb, workerData } = options
    const limits = maxHeapMb === undefined ? {} : { maxOldGenerationSizeMb: maxHeapMb }
    this.worker = new Worker(script, { workerData, resourceLimits: limits })
    // A thread without work keeps no process running.
    this.worker.unref()
    this.worker.on('message', (message: ThreadMessage<Event>) => this.take(message))
    this.worker.on('error', (error) => void this.end({ kind: 'ended', cause: error.message }))
    this.worker.on('exit', () => void this.end({ kind: 'ended' }))
  }

  get isIdle(): boolean {
    return !this.hasEnded && this.current === undefined
  }

  begin(work: Work<Event>): void {
    const { maxTaskMs } = this.options
    const tooLong = () => void this.end({ kind: 'timed-out' })
    this.current = { work, timer: maxTaskMs === undefined ? undefined : setTimeout(tooLong, maxTaskMs) }
    this.worker.ref()
    try {
      this.worker.postMessage(work.call)
    } catch (error) {
      // The thread never saw what can't be copied, and is free.
      this.finish(err({ kind: 'threw', cause: toReason(error) }))
    }
  }

  async end(failure: WorkerFailure): Promise<void> {
    if (this.hasEnded) return
    this.hasEnded = true
    const terminated = this.worker.terminate()
    this.finish(err(failure))
    // A process with nothing else to do would exit before the thread has ended.
    this.worker.ref()
    await terminated
  }

  private take(message: ThreadMessage<Event>): void {
    if ('event' in message) {
      const onEvent = this.current?.work.onEvent ?? this.options.onEvent
      onEvent?.(message.event)
      return
    }
    if ('error' in message) {
      const failure: WorkerFailure = { kind: 'threw', cause: message.error, code: message.code }
      if (this.options.survivesErrors === true) this.finish(err(failure))
      // What it left behind is not known.
      else void this.end(failure)
      return
    }
    if (this.options.isThreadPerCall === true) {
      this.hasEnded = true
      void this.worker.terminate()
    }
    this.finish(ok(message.output))
  }

  private finish(result: Result<unknown, WorkerFailure>): void {
    const finished = this.current
    this.current = undefined
    clearTimeout(finished?.timer)
    this.worker.unref()
    finished?.work.finish(result, this.hasEnded)
    this.onFree()
  }
}

/** To be called by the script of a pool: answers its calls in this thread. */
export function answerCalls<Calls extends WorkerCalls<Calls>, Event = never>(
  loading: WorkerFunctions<Calls, Event> | Promise<WorkerFunctions<Calls, Event>>,
  transfers: Transfers<Calls> = {},
): void {
  answerCallsBy<Calls, Event>(() => loading, transfers)
}

type Loaded<Functions> = Functions | Promise<Functions>

/** As `answerCalls`, with functions that are loaded when they are called. */
export function answerCallsBy<Calls extends WorkerCalls<Calls>, Event = never>(
  load: (name: keyof Calls) => Loaded<Partial<WorkerFunctions<Calls, Event>>>,
  transfers: Transfers<Calls> = {},
): void {
  parentPort?.on(
    'message',
    async <Name extends keyof Calls>({ name, input }: { name: Name; input: Calls[Name]['input'] }) => {
      try {
        const answer = (await load(name))[name]
        if (answer === undefined) throw new Error(`${String(name)} is not known to this thread`)
        const output = await answer(input, emitEvent)
        parentPort?.postMessage({ output }, [...(transfers[name]?.(output) ?? [])])
      } catch (error) {
        // An error keeps no code on its way between threads.
        const code = error instanceof Error && 'code' in error ? String(error.code) : ''
        parentPort?.postMessage({ error: toReason(error), code })
      }
    },
  )
}

/** Reports something from a pool's thread, also outside of a call. */
export function emitEvent(event: unknown): void {
  parentPort?.postMessage({ event })
}
