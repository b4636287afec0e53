import { parentPort, Worker } from 'node:worker_threads'
import { err, ok, type Result } from '../../shared/result'
import { toReason } from './toReason'

/** The calls of a worker by name, with input and output. Both are copied by structured clone. */
type WorkerCalls<Calls> = Record<keyof Calls, { input: unknown; output: unknown }>

/** One function for each call. `emit` sends events before the result. */
export type WorkerFunctions<Calls extends WorkerCalls<Calls>, Event = never> = {
  [Name in keyof Calls]: (
    input: Calls[Name]['input'],
    emit: (event: Event) => void,
  ) => Calls[Name]['output'] | Promise<Calls[Name]['output']>
}

/** Which buffers of a result are transferred instead of copied. */
type Transfers<Calls extends WorkerCalls<Calls>> = {
  [Name in keyof Calls]?: (output: Calls[Name]['output']) => readonly ArrayBuffer[]
}

/** Why a call has no result. */
export interface WorkerFailure {
  kind: 'timed-out' | 'waited-too-long' | 'ended' | 'threw' | 'closed'
  /** The message of the error that ended the thread or the call, if any. */
  cause?: string
  /** The code of an error that a call threw, such as ENOSPC; empty where it had none. */
  code?: string
}

export interface WorkerPoolDeps<Event = never> {
  /** A built script that calls `answerCalls`. */
  script: URL
  maxThreads: number
  /** Limit for the old generation of each thread's heap; exceeding it ends that thread only. */
  maxHeapMb?: number
  /** Time-out for a call from when a thread starts it; unlimited by default. */
  maxTaskMs?: number
  /** Time-out in the queue; unlimited by default. */
  maxWaitMs?: number
  /** Ends the thread after each call, to free all of its memory. */
  isThreadPerCall?: boolean
  /** Keeps a thread whose call threw, because it has state that must not be lost. */
  survivesErrors?: boolean
  /**
   * Repeats a call once in a new thread when its thread ended, since an earlier call may have caused that. Only for calls
   * without side effects; a call that timed out is not repeated.
   */
  repeatsEnded?: boolean
  workerData?: unknown
  /** Called with events outside of calls, or during calls without their own `onEvent`. */
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
 * Runs calls in threads, one at a time in each. Starts a thread when a call would have to wait. A thread that ends, throws
 * or times out is replaced, and only its current call fails. Why this is not a package: docs/decisions/0002-dependencies.md.
 */
export class WorkerPool<Calls extends WorkerCalls<Calls>, Event = never> {
  private readonly queue: Work<Event>[] = []
  private readonly threads = new Set<Thread<Event>>()
  private isClosed = false

  constructor(private readonly deps: WorkerPoolDeps<Event>) {}

  /** @param onEvent called with the events that the call emits */
  run<Name extends keyof Calls>(
    name: Name,
    input: Calls[Name]['input'],
    onEvent?: (event: Event) => void,
  ): Promise<Result<Calls[Name]['output'], WorkerFailure>> {
    if (this.isClosed) return Promise.resolve(err({ kind: 'closed' }))
    return new Promise((resolve) => {
      let mayRepeat = this.deps.repeatsEnded === true
      const finish: Work<Event>['finish'] = (result, hasThreadEnded) => {
        const isLost = !result.ok && ['ended', 'threw'].includes(result.error.kind) && hasThreadEnded
        if (!mayRepeat || !isLost) return resolve(result)
        mayRepeat = false
        this.startThread().begin(work)
      }
      const work: Work<Event> = { call: { name, input }, onEvent, waiting: undefined, finish }
      if (this.deps.maxWaitMs !== undefined) {
        work.waiting = setTimeout(() => {
          this.queue.splice(this.queue.indexOf(work), 1)
          resolve(err({ kind: 'waited-too-long' }))
        }, this.deps.maxWaitMs)
      }
      this.queue.push(work)
      this.beginNext()
    })
  }

  /** Starts a thread in advance for the first call. */
  warmUp(): void {
    if (!this.isRunning && !this.isClosed) this.startThread()
  }

  /** Whether any thread is running. */
  get isRunning(): boolean {
    return [...this.threads].some((thread) => !thread.hasEnded)
  }

  /** Ends all threads; pending calls fail as `closed`. */
  async close(): Promise<void> {
    this.isClosed = true
    for (const { waiting, finish } of this.queue.splice(0)) {
      clearTimeout(waiting)
      finish(err({ kind: 'closed' }), false)
    }
    await Promise.all([...this.threads].map((thread) => thread.end({ kind: 'closed' })))
  }

  private startThread(): Thread<Event> {
    const thread = new Thread(this.deps, () => this.beginNext())
    this.threads.add(thread)
    return thread
  }

  private beginNext(): void {
    for (const thread of this.threads) if (thread.hasEnded) this.threads.delete(thread)
    while (this.queue.length > 0) {
      const idle = [...this.threads].find((thread) => thread.isIdle)
      if (idle === undefined && this.threads.size >= this.deps.maxThreads) return
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
    private readonly deps: WorkerPoolDeps<Event>,
    private readonly onFree: () => void,
  ) {
    const { script, maxHeapMb, workerData } = deps
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
    const { maxTaskMs } = this.deps
    const tooLong = () => void this.end({ kind: 'timed-out' })
    this.current = { work, timer: maxTaskMs === undefined ? undefined : setTimeout(tooLong, maxTaskMs) }
    this.worker.ref()
    try {
      this.worker.postMessage(work.call)
    } catch (error) {
      // The input can't be cloned; the thread did not receive the call and stays idle.
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
      const onEvent = this.current?.work.onEvent ?? this.deps.onEvent
      onEvent?.(message.event)
      return
    }
    if ('error' in message) {
      const failure: WorkerFailure = { kind: 'threw', cause: message.error, code: message.code }
      if (this.deps.survivesErrors === true) this.finish(err(failure))
      // The thread's state is unknown after an error.
      else void this.end(failure)
      return
    }
    if (this.deps.isThreadPerCall === true) {
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

/** To be called by the script of a pool: handles its calls in this thread. */
export function answerCalls<Calls extends WorkerCalls<Calls>, Event = never>(
  loading: WorkerFunctions<Calls, Event> | Promise<WorkerFunctions<Calls, Event>>,
  transfers: Transfers<Calls> = {},
): void {
  answerCallsBy<Calls, Event>(() => loading, transfers)
}

type Loaded<Functions> = Functions | Promise<Functions>

/** As `answerCalls`, but loads the functions when they are called. */
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
        // Structured clone drops the code of an error. `systemCode` would load zod into every thread.
        const code = error instanceof Error && 'code' in error ? String(error.code) : ''
        parentPort?.postMessage({ error: toReason(error), code })
      }
    },
  )
}

/** Sends an event from a pool's thread, also outside of a call. */
export function emitEvent(event: unknown): void {
  parentPort?.postMessage({ event })
}
