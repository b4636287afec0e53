import { randomUUID } from 'node:crypto'
import type { IpcMainInvokeEvent } from 'electron'
import type { z } from 'zod'
import {
  type Handlers,
  type MethodInput,
  type MethodName,
  type MethodOutput,
  methodNames,
  methods,
} from '../../shared/bridge'
import { toChannel } from '../../shared/channels'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { Log } from '../log/log'
import { type Redact, redactedError } from '../log/redactor'

/** The part of `ipcMain` that the registrar uses. */
export interface IpcRegistry<Event> {
  handle(channel: string, listener: (event: Event, input: unknown) => Promise<unknown>): void
}

type MethodTable = {
  [Name in MethodName]: { input: z.ZodType<MethodInput<Name>>; output: z.ZodType<MethodOutput<Name>> }
}
const table: MethodTable = methods

/** The handlers of the features, and the check of the operator's rights. */
export interface FeatureCalls {
  handlers: Partial<Handlers>
  people: {
    /** SECURITY: returns an error for a call that the operator has no right to make. */
    permit<Name extends MethodName>(method: Name, input: MethodInput<Name>): Result<undefined>
  }
}

export interface RegistrarDeps<Event> {
  ipc: IpcRegistry<Event>
  /** Handlers that work in any state of the app. */
  appHandlers: Partial<Handlers>
  /** Handlers of the features, or the start error while the app can't work. */
  services(): Result<FeatureCalls>
  /** SECURITY: returns an error for a call that this run of the app must not make, whoever asks for it. */
  permitCall?<Name extends MethodName>(method: Name, input: MethodInput<Name>): Result<undefined>
  /** SECURITY: whether the call comes from the app's own page in its own top frame. See docs/threat-model.md. */
  isTrusted(event: Event): boolean
  /** Calls wait for it: the page may be loaded before the app's start has ended. */
  started?: Promise<void>
  /** Sends pending events to the page, which must not arrive after an answer that already includes them. */
  beforeAnswer?(): void
  redact: Redact
  log: Log
}

/** Registers every method of the contract: nothing else can be called from the renderer. */
export function registerMethods<Event>(deps: RegistrarDeps<Event>): void {
  for (const name of methodNames) register(deps, name)
}

function register<Event, Name extends MethodName>(deps: RegistrarDeps<Event>, name: Name): void {
  deps.ipc.handle(toChannel(name), async (event, rawInput) => {
    if (!deps.isTrusted(event)) {
      deps.log.warn('a call from a foreign frame was refused', { method: name })
      return err(appError('invalid-input', { case: 'foreign-caller' }))
    }
    try {
      await deps.started
      const result = await answer(deps, name, rawInput)
      deps.beforeAnswer?.()
      return result.ok ? result : err(redactedError(result.error, deps.redact))
    } catch (error) {
      return err(unexpected(deps, name, error))
    }
  })
}

async function answer<Event, Name extends MethodName>(
  deps: RegistrarDeps<Event>,
  name: Name,
  rawInput: unknown,
): Promise<Result<MethodOutput<Name>>> {
  const method = table[name]
  const broken = findBrokenText(rawInput)
  if (broken !== undefined) {
    const issue = `${broken.join('.') || 'input'}: it contains half a surrogate pair`
    return err(appError('invalid-input', { faults: issue }))
  }
  const input = method.input.safeParse(rawInput)
  if (!input.success) return err(invalidInput(input.error))
  const allowed = deps.permitCall?.(name, input.data) ?? ok(undefined)
  if (!allowed.ok) return allowed
  const handler = findHandler(deps, name)
  if (!handler.ok) return handler
  const services = deps.services()
  const permitted = services.ok ? services.value.people.permit(name, input.data) : ok(undefined)
  if (!permitted.ok) return permitted
  const result = await handler.value(input.data)
  // SECURITY: parsing the output drops every field that the contract does not define, such as a secret.
  return result.ok ? ok(method.output.parse(result.value)) : result
}

function findHandler<Event, Name extends MethodName>(
  deps: RegistrarDeps<Event>,
  name: Name,
): Result<Handlers[Name]> {
  const services = deps.services()
  const handler = deps.appHandlers[name] ?? (services.ok ? services.value.handlers[name] : undefined)
  if (handler !== undefined) return ok(handler)
  return services.ok ? err(appError('internal', { id: name })) : services
}

/**
 * The path of a text with half a surrogate pair in an input; undefined when there is none. Such a text can't be encoded as
 * UTF-8, so stored, sent and compared values would differ from the typed one.
 */
function findBrokenText(input: unknown, seen = new Set<unknown>()): string[] | undefined {
  if (typeof input === 'string') return input.isWellFormed() ? undefined : []
  if (typeof input !== 'object' || input === null || ArrayBuffer.isView(input) || seen.has(input))
    return undefined
  seen.add(input)
  if (!Array.isArray(input) && Object.keys(input).some((key) => !key.isWellFormed())) return []
  let index = 0
  for (const part of Object.values(input)) {
    const place = findBrokenText(part, seen)
    // The name is looked up only now: a manifest has millions of texts.
    if (place !== undefined) return [Object.keys(input)[index] ?? '', ...place]
    index += 1
  }
  return undefined
}

function invalidInput(error: z.ZodError): AppError {
  for (const issue of error.issues) {
    const megabytes = issue.code === 'custom' ? issue.params?.maxMegabytes : undefined
    if (typeof megabytes === 'number') {
      return appError('invalid-input', { case: 'file-too-large', megabytes: String(megabytes) })
    }
  }
  const issues = error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`)
  const list = issues.slice(0, 10).join('; ')
  return appError('invalid-input', { faults: list })
}

function unexpected<Event>(deps: RegistrarDeps<Event>, name: MethodName, error: unknown): AppError {
  const id = randomUUID().slice(0, 8)
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  deps.log.error('a bridge method threw an unexpected error', { method: name, id, error: text })
  return appError('internal', { id })
}

/**
 * SECURITY: a call is accepted only from a top frame that shows the app's page. The frame is taken from the event: the
 * window's main frame may have changed since the call.
 * @param origin the app's origin, e.g. `app://packbench`
 */
export function isTrustedSender(event: Pick<IpcMainInvokeEvent, 'senderFrame'>, origin: string): boolean {
  const frame = event.senderFrame
  if (frame === null || frame.parent !== null) return false
  return frame.url.startsWith(`${origin}/`)
}
