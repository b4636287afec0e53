import type { z } from 'zod'
import { accountMethods } from './account'
import { appEvents, appMethods } from './app'
import { batchEvents, batchMethods } from './batches'
import { consigneeMethods } from './consignees'
import { consignmentEvents, consignmentMethods } from './consignments'
import { customsEvents, customsMethods } from './customs'
import { discoveryMethods } from './discovery'
import type { AppError } from './errors'
import { fleetEvents, fleetMethods } from './fleet'
import { historyMethods } from './history'
import { hotFolderEvents, hotFolderMethods } from './hotFolder'
import { keysOf } from './keysOf'
import { networkMethods } from './network'
import { orderEvents, orderMethods } from './orders'
import { peopleEvents, peopleMethods } from './people'
import { printingEvents, printingMethods } from './printing'
import type { Result } from './result'
import { settingsEvents, settingsMethods } from './settings'
import { shipmentEvents, shipmentMethods } from './shipments'
import { trackingEvents, trackingMethods } from './tracking'
import { updateEvents, updateMethods } from './updates'

/**
 * All methods of the bridge between main and the renderer, merged from the features' files. Main's registrar, the preload and
 * the renderer's client are derived from it: a new method needs one entry in its feature's file and one handler in main.
 */
export const methods = {
  ...appMethods,
  ...settingsMethods,
  ...accountMethods,
  ...peopleMethods,
  ...shipmentMethods,
  ...historyMethods,
  ...printingMethods,
  ...trackingMethods,
  ...updateMethods,
  ...orderMethods,
  ...batchMethods,
  ...consigneeMethods,
  ...hotFolderMethods,
  ...fleetMethods,
  ...networkMethods,
  ...discoveryMethods,
  ...consignmentMethods,
  ...customsMethods,
}

/** Events that main sends to the renderer. */
export const events = {
  ...appEvents,
  ...settingsEvents,
  ...peopleEvents,
  ...shipmentEvents,
  ...printingEvents,
  ...trackingEvents,
  ...updateEvents,
  ...orderEvents,
  ...hotFolderEvents,
  ...fleetEvents,
  ...batchEvents,
  ...consignmentEvents,
  ...customsEvents,
}

export type Methods = typeof methods
export type MethodName = keyof Methods
export type MethodInput<Name extends MethodName> = z.output<Methods[Name]['input']>
export type MethodOutput<Name extends MethodName> = z.output<Methods[Name]['output']>
export type EventName = keyof typeof events
export type EventPayloads = { [Name in EventName]: z.output<(typeof events)[Name]> }
export type EventPayload<Name extends EventName> = EventPayloads[Name]

/** Whether a text names an event of the bridge. */
export function isEventName(name: string): name is EventName {
  return Object.hasOwn(events, name)
}

export const methodNames = keysOf(methods)
export const eventNames = keysOf(events)

/** The typed client of the bridge, as the preload exposes it on `window.packbench`. */
export type BridgeClient = {
  [Name in MethodName]: (
    input: z.input<Methods[Name]['input']>,
  ) => Promise<Result<MethodOutput<Name>, AppError>>
} & {
  /** Listens to an event; returns a function that unsubscribes. */
  on: <Name extends EventName>(event: Name, listener: (payload: EventPayload<Name>) => void) => () => void
}

/** An event as sent to the page. */
export type EventMessage<Name extends EventName = EventName> = readonly [
  name: Name,
  payload: EventPayload<Name>,
]

/** One handler in main per method. The registrar parses its input before and its output after the call. */
export type Handlers = {
  [Name in MethodName]: (
    input: MethodInput<Name>,
  ) => Promise<Result<z.input<Methods[Name]['output']>>> | Result<z.input<Methods[Name]['output']>>
}

/** The handlers of one feature's methods. */
export type HandlersOf<FeatureMethods> = Pick<Handlers, MethodName & keyof FeatureMethods>
