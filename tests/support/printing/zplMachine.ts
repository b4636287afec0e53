import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { ByteSink } from './byteSink'
import { startByteSink } from './byteSink'
import type { PrinterState } from './zplPrinter'
import { extendedErrors, hostStatus, odometer } from './zplPrinter'

/** How the fake ZPL printer behaves; a test may change it at any time. */
export interface MachineBehaviour {
  state: PrinterState
  /** The time for one label; later labels wait in its memory. */
  labelMs: number
  /** The queries that it answers; it ignores others. */
  answers: ReadonlySet<'HS' | 'HQES' | 'HQOD'>
  /** The delay of each answer; 0 when left out. */
  delayMs: { HS?: number; HQES?: number; HQOD?: number }
  /** Whether it prints. Otherwise it accepts labels and counts them down, but prints nothing. */
  prints: boolean
  /** The distance that its odometer moves with each label. */
  labelInches: number
  /** Serves one connection and closes others at once. */
  isExclusive: boolean
}

/** A fake printer that prints its labels one after the other. */
export interface ZplMachine extends ByteSink {
  is: MachineBehaviour
  /** Labels in the order in which they were printed. */
  printed: string[]
  /** The maximum of labels in its memory at once. */
  maxInside(): number
  /** How often it received a query. */
  asked(question: 'HS' | 'HQES' | 'HQOD'): number
  /** Does not answer the next queries. */
  swallow(question: 'HS' | 'HQES' | 'HQOD', count: number): void
  /** The number of labels in its memory at the start of each connection. */
  insideWhenConnected: number[]
  /** The open connections. */
  open(): number
  /** Loses all labels in its memory and its connections. */
  cutPower(): void
}

/** Starts a printer that is ready and answers everything at once; it is closed when the test ends. */
export async function startZplMachine(change: Partial<MachineBehaviour> = {}): Promise<ZplMachine> {
  const is: MachineBehaviour = {
    ...{ state: {}, labelMs: 20, answers: new Set(['HS', 'HQES', 'HQOD']), delayMs: {} },
    ...{ prints: true, labelInches: 6, isExclusive: false },
    ...change,
  }
  const printed: string[] = []
  const inside: string[] = []
  const insideWhenConnected: number[] = []
  const sockets = new Set<Socket>()
  const asked = { HS: 0, HQES: 0, HQOD: 0 }
  const swallowed = { HS: 0, HQES: 0, HQOD: 0 }
  let inches = 8560
  let maxInside = 0
  let generation = 0

  async function printAll(own: number): Promise<void> {
    for (let label = inside[0]; label !== undefined; label = inside[0]) {
      await pause(is.labelMs)
      if (own !== generation) return
      if (is.state.paperOut === true) continue
      inside.shift()
      if (!is.prints) continue
      printed.push(label)
      inches += is.labelInches
    }
  }

  function take(label: string): void {
    inside.push(label)
    maxInside = Math.max(maxInside, inside.length)
    if (inside.length === 1) void printAll(generation)
  }

  function answer(question: string): string {
    if (question === 'HS') return hostStatus({ formatsInside: inside.length, ...is.state })
    return question === 'HQES' ? extendedErrors(0) : odometer(`${inches} "`)
  }

  function answerTo(socket: Socket, question: string): void {
    if (question !== 'HS' && question !== 'HQES' && question !== 'HQOD') return
    asked[question] += 1
    if (swallowed[question] > 0) {
      swallowed[question] -= 1
      return
    }
    if (!is.answers.has(question)) return
    const text = answer(question)
    const delay = is.delayMs[question] ?? 0
    if (delay === 0) socket.write(text)
    else setTimeout(() => socket.writable && socket.write(text), delay)
  }

  const sink = await startByteSink((socket) => {
    if (is.isExclusive && sockets.size > 0) return void socket.end()
    sockets.add(socket)
    insideWhenConnected.push(inside.length)
    socket.on('close', () => sockets.delete(socket))
    let text = ''
    socket.on('data', (part: Buffer) => {
      text += part.toString('latin1')
      for (;;) {
        const next = /~(HS|HQES|HQOD)\r\n|\^XZ\r?\n?/.exec(text)
        if (next === null) return
        const whole = text.slice(0, next.index + next[0].length)
        text = text.slice(whole.length)
        // A format without a field only changes settings.
        if (next[1] === undefined) /\^F[DSO]|\^G/.test(whole) && take(whole)
        else answerTo(socket, next[1])
      }
    })
  })
  return {
    ...sink,
    is,
    printed,
    insideWhenConnected,
    maxInside: () => maxInside,
    asked: (question) => asked[question],
    swallow: (question, count) => {
      swallowed[question] += count
    },
    open: () => sockets.size,
    cutPower() {
      generation += 1
      inside.length = 0
      for (const socket of sockets) socket.resetAndDestroy()
    },
  }
}
