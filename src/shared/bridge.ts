import { z } from 'zod'
import { appStatusSchema, backupSchema } from './appStatus'
import { customsEvents, customsMethods } from './customsBridge'
import type { AppError } from './errors'
import { textSchema } from './fields'
import { manifestEvents, manifestMethods } from './manifestBridge'
import { dismissalReasonSchema } from './printerRemarks'
import { printJobSchema, systemQueueSchema } from './printing'
import { printingMethods } from './printingBridge'
import type { Result } from './result'
import { accountStatusSchema, connectAccountSchema, settingsChangeSchema, settingsSchema } from './settings'
import {
  carrierLimitsSchema,
  shipmentDetailsSchema,
  shipmentDraftSchema,
  shipmentSummarySchema,
} from './shipment'
import { trackedCodeSchema, trackingOptionsSchema } from './tracking'
import { boardEvents, boardMethods } from './trackingBoard'
import { bulkEvents, bulkMethods } from './trackingBulk'

const nothing = z.undefined()
const shipmentId = z.strictObject({ shipmentId: z.uuid() })
const jobId = z.strictObject({ jobId: z.uuid() })

function method<Input extends z.ZodType, Output extends z.ZodType>(input: Input, output: Output) {
  return { input, output }
}

/** An earlier shipment with the same reference, for the duplicate question. */
export const earlierShipmentSchema = z.object({
  shipmentId: z.string(),
  state: shipmentDetailsSchema.shape.state,
  takenAt: z.iso.datetime(),
  barcodes: z.array(z.string()),
})
export type EarlierShipment = z.infer<typeof earlierShipmentSchema>

/**
 * The whole bridge between main and the renderer. Main's registrar, the preload and the renderer's client are
 * derived from it: a new method is one entry here and one handler in main/bridge.
 */
export const methods = {
  ...printingMethods,
  getAppStatus: method(nothing, appStatusSchema),
  /** Starts the app's work again after trouble at start was fixed. */
  retryStart: method(nothing, appStatusSchema),
  /** Keeps an unreadable settings.json under another name and starts with default settings. */
  setAsideSettings: method(nothing, appStatusSchema),
  /** Puts the shipments of the labels folder into the history again, while its trouble is that they are missing there. */
  rebuildHistory: method(nothing, appStatusSchema),
  /** Starts although nothing guards the references of those shipments. */
  continueUnguarded: method(nothing, appStatusSchema),
  /** Daily copies of the database, newest first. */
  listBackups: method(nothing, z.array(backupSchema)),
  /** Puts a copy in the place of a database that can't be used, and fills in what was shipped since. */
  restoreBackup: method(backupSchema.pick({ name: true }), appStatusSchema),
  /** The computer's clock is right, though it disagrees with what the station knows. */
  confirmClock: method(nothing, appStatusSchema),
  openDataFolder: method(nothing, nothing),
  /** The page itself gets no clipboard, as it gets no permission at all. */
  copyText: method(z.strictObject({ text: z.string().max(10_000) }), nothing),

  getSettings: method(nothing, settingsSchema),
  changeSettings: method(settingsChangeSchema, settingsSchema),

  connectAccount: method(connectAccountSchema, accountStatusSchema),
  /** Asks the service for a key again with the stored credentials. */
  testAccount: method(nothing, accountStatusSchema),
  forgetAccount: method(nothing, accountStatusSchema),

  /**
   * Creates a shipment and prints its labels. The same attemptId never makes a second request: it gives the outcome
   * of the first. `confirmedDuplicateOf` is the shipment that the operator was shown and wants to ship again.
   */
  createShipment: method(
    z.strictObject({
      attemptId: z.uuid(),
      draft: shipmentDraftSchema,
      confirmedDuplicateOf: z.uuid().optional(),
    }),
    shipmentDetailsSchema,
  ),
  /** Earlier shipments of a reference, newest first; refused ones are left out. */
  findEarlierShipments: method(z.strictObject({ reference: textSchema }), z.array(earlierShipmentSchema)),
  searchShipments: method(
    z.strictObject({
      /** Part of a reference, name, city or barcode; empty for all. */
      text: z.string().max(200),
      onlyNeedingAttention: z.boolean(),
      limit: z.int().min(1).max(500),
      offset: z.int().min(0),
    }),
    z.object({ shipments: z.array(shipmentSummarySchema), total: z.int() }),
  ),
  getShipment: method(shipmentId, shipmentDetailsSchema),
  resolveShipment: method(
    z.discriminatedUnion('verdict', [
      z.strictObject({
        shipmentId: z.uuid(),
        verdict: z.literal('exists'),
        barcode: z.string().trim().min(1).max(200),
      }),
      z.strictObject({ shipmentId: z.uuid(), verdict: z.literal('does-not-exist') }),
    ]),
    shipmentDetailsSchema,
  ),
  /** Fetches labels by URL that could not be fetched before, and prints them. Never creates anything. */
  fetchLabels: method(shipmentId, shipmentDetailsSchema),
  /** Says why nothing more is to be done about labels that can't be had or printed: they no longer count as open. */
  closeLabelProblems: method(
    shipmentId.extend({ reason: z.string().trim().min(1).max(200) }),
    shipmentDetailsSchema,
  ),
  openTrackingLink: method(shipmentId, nothing),
  /** Limits the service stated for a carrier option the last time; null when it never did. */
  getCarrierLimits: method(
    z.strictObject({ carrierOptionId: z.int().min(0) }),
    carrierLimitsSchema.nullable(),
  ),

  listSystemQueues: method(nothing, z.array(systemQueueSchema)),
  /** Jobs that are under way or need a person, oldest first. */
  listOpenJobs: method(nothing, z.array(printJobSchema)),
  /** New jobs from stored labels; the service is not called. All labels, or one; the usual printer, or another. */
  reprint: method(
    z.strictObject({
      shipmentId: z.uuid(),
      labelId: z.uuid().optional(),
      printerId: z.string().optional(),
    }),
    z.array(printJobSchema),
  ),
  /** Sends a failed or unconfirmed job's label again as a new job, to the same printer or another. */
  printJobAgain: method(
    z.strictObject({ jobId: z.uuid(), printerId: z.string().optional() }),
    printJobSchema,
  ),
  /** Says what became of an unconfirmed or failed job, so that it no longer asks for attention. */
  resolveJob: method(
    jobId.extend({
      verdict: z.enum(['printed', 'not-printed']),
      reason: dismissalReasonSchema.optional(),
    }),
    printJobSchema,
  ),
  cancelJob: method(jobId, printJobSchema),
  chooseFolder: method(nothing, z.string().nullable()),

  trackCode: method(
    z.strictObject({ code: z.string().trim().min(1).max(10_000), options: trackingOptionsSchema }),
    trackedCodeSchema,
  ),
  ...bulkMethods,
  ...boardMethods,

  ...manifestMethods,
  ...customsMethods,
}

/** What main tells the renderer by itself. */
export const events = {
  appStatusChanged: appStatusSchema,
  settingsChanged: settingsSchema,
  shipmentChanged: shipmentSummarySchema,
  printJobChanged: printJobSchema,
  /** A notification of a printer that needs someone was clicked. */
  queueAskedFor: z.object({}),
  /** The operator made the window's contents larger or smaller. */
  zoomChanged: z.object({ percent: z.int() }),
  ...bulkEvents,
  ...boardEvents,
  ...manifestEvents,
  ...customsEvents,
}

export type Methods = typeof methods
export type MethodName = keyof Methods
export type MethodInput<Name extends MethodName> = z.output<Methods[Name]['input']>
export type MethodOutput<Name extends MethodName> = z.output<Methods[Name]['output']>
export type EventName = keyof typeof events
export type EventPayloads = { [Name in EventName]: z.output<(typeof events)[Name]> }
export type EventPayload<Name extends EventName> = EventPayloads[Name]

/** Whether a text names a method of the bridge. */
export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(methods, name)
}

/** Whether a text names an event of the bridge. */
export function isEventName(name: string): name is EventName {
  return Object.hasOwn(events, name)
}

export const methodNames = Object.keys(methods).filter(isMethodName)
export const eventNames = Object.keys(events).filter(isEventName)

/** The typed client of the bridge, as the preload exposes it on `window.packbench`. */
export type BridgeClient = {
  [Name in MethodName]: (
    input: z.input<Methods[Name]['input']>,
  ) => Promise<Result<MethodOutput<Name>, AppError>>
} & {
  /** Listens to an event; the function that comes back stops listening. */
  on: <Name extends EventName>(event: Name, listener: (payload: EventPayload<Name>) => void) => () => void
}

/** The IPC channel of a method or an event. */
export function channelOf(name: MethodName | EventName): string {
  return `packbench:${name}`
}
