import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'undici'
import { z } from 'zod'
import { listen } from './bench'

const switches = (process.env.PACKBENCH_ELECTRON_SWITCHES ?? '').split(' ').filter(Boolean)
/** The maximum wait for an answer of a page, which may be navigating to another address. */
const maxAnswerMs = 2000
/** The maximum time of a start. */
const maxStartMs = 60_000
const pagesSchema = z.array(z.object({ type: z.string(), webSocketDebuggerUrl: z.string() }))
const answerSchema = z.object({ result: z.object({ result: z.object({ value: z.number() }) }) })

/** Returns the current time once the page is usable, and 0 before. */
const readyTime = `document.documentElement?.dataset.ready === 'true' ? Date.now() : 0`
/** Removes the focus from its field, whose caret would blink. */
const leftTime = `(document.activeElement?.blur(), Date.now())`

/** A running Electron app. */
export interface StartedApp {
  pid: number
  /** Sends SIGTERM and waits until the app has ended. */
  stop(): Promise<void>
}

/**
 * Starts an app as a person does, without Playwright, which would slow it down.
 * @param args the app's folder and its switches
 * @returns the app, the milliseconds from the start of its process until its page is ready, and a function that removes the focus
 * from its field
 */
export async function startUntilReady(
  args: readonly string[],
): Promise<StartedApp & { ms: number; leaveField(): Promise<unknown> }> {
  const { port, close } = await listen(() => undefined)
  await close()
  const startedAt = Date.now()
  const app = start([...args, `--remote-debugging-port=${port}`, '--remote-allow-origins=*'])
  const readyAt = await waitForPage(port, AbortSignal.timeout(maxStartMs))
  return { ...app, ms: readyAt - startedAt, leaveField: () => askPage(port, leftTime) }
}

/** Starts an app without a debugging port. */
export function start(args: readonly string[]): StartedApp {
  const child = spawn(process.env.PACKBENCH_ELECTRON ?? '', [...args, ...switches], { stdio: 'ignore' })
  return { pid: child.pid ?? 0, stop: () => stop(child) }
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

async function waitForPage(port: number, signal: AbortSignal): Promise<number> {
  for (;;) {
    signal.throwIfAborted()
    const readyAt = await askPage(port, readyTime).catch(() => 0)
    if (readyAt > 0) return readyAt
    await pause(5)
  }
}

/** Evaluates an expression in the page until it returns a time above 0. Rejects when the page is gone or replaced. */
async function askPage(port: number, expression: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`)
  const page = pagesSchema.parse(await response.json()).find(({ type }) => type === 'page')
  if (page === undefined) throw new Error('there is no page yet')
  const socket = new WebSocket(page.webSocketDebuggerUrl)
  try {
    await withTimeout(once(socket, 'open'))
    for (let id = 1; ; id += 1) {
      socket.send(JSON.stringify({ id, method: 'Runtime.evaluate', params: { expression } }))
      const [message] = await withTimeout(once(socket, 'message'))
      const readyAt = answerSchema.parse(JSON.parse(String(Reflect.get(message, 'data')))).result.result.value
      if (readyAt > 0) return readyAt
      await pause(5)
    }
  } finally {
    socket.close()
  }
}

async function withTimeout<Value>(event: Promise<Value>): Promise<Value> {
  const late = pause(maxAnswerMs, undefined, { ref: false }).then(() => {
    throw new Error('the page does not answer')
  })
  return Promise.race([event, late])
}
