import { z } from 'zod'
import { labelFindingSchema } from './labels'
import { printerRemarkSchema } from './printerRemarks'

/**
 * Every failure that the app expects, by a stable code. The renderer words each code in the operator's language
 * from `details`; `message` is the same sentence in English, for the log, the hot folder and other programs.
 */
export const errorCodes = [
  'invalid-input',
  'internal',
  'startup-trouble',
  // account and vault
  'no-account',
  'account-refused',
  'base-url-not-allowed',
  'vault-unreadable',
  'vault-locked',
  'key-refused',
  // the service and the way to it
  'service-unreachable',
  'service-insecure',
  'service-timeout',
  'service-connection-lost',
  'service-refused',
  'service-busy',
  'service-moved',
  'service-failed',
  'service-answer-not-understood',
  // shipments and their labels
  'shipment-not-found',
  'shipment-in-progress',
  'shipment-unsettled',
  'shipment-duplicate',
  'shipment-not-unsettled',
  'shipment-interrupted',
  'journal-not-written',
  'outcome-not-written',
  'label-not-found',
  'label-unreadable',
  'label-needs-password',
  'label-not-fetched',
  'label-host-not-allowed',
  'label-type-unknown',
  'label-missing',
  'label-not-stored',
  'labels-waiting',
  'labels-not-writable',
  'no-tracking-link',
  // tracking
  'tracking-not-running',
  'codes-file-invalid',
  'export-not-saved',
  // printing
  'no-printer',
  'printer-not-found',
  'printer-unreachable',
  'printer-failed',
  'printer-stopped',
  'printer-takes-no-zpl',
  'label-in-other-language',
  'calibration-not-possible',
  'print-service-missing',
  'stock-not-supported',
  'labels-past-sheet-edge',
  'darkness-not-supported',
  'speed-not-supported',
  'print-unconfirmed',
  'print-job-not-found',
  'print-job-not-open',
  'label-needs-placement',
  'placement-does-not-fit',
  'label-too-long',
  'zpl-needs-consent',
  'label-loses-content',
  'printer-not-ready',
  'nothing-printed-yet',
  'label-already-waiting',
  // manifests and pre-alerts
  'manifest-not-found',
  'manifest-uploaded',
  'manifest-busy',
  'manifest-empty',
  'manifest-has-errors',
  'manifest-locked',
  'manifest-upload-unknown',
  'manifest-not-uploaded',
  'pre-alert-unknown',
  'submission-not-unknown',
  'lock-not-agreed',
  'lock-number-differs',
  'table-unreadable',
  'table-gone',
  'decimal-mark-differs',
  'pdf-unreadable',
  // customs
  'product-not-found',
  'no-customs',
  'no-document-printer',
  'file-not-saved',
  // files, settings, storage
  'provisioning-invalid',
  'settings-invalid',
  'settings-not-saved',
  'change-not-confirmed',
  'order-file-invalid',
  'order-file-not-readable',
  'hot-folder-taken',
  'hot-folder-taken-by-copy',
  'hot-folder-owner-unreadable',
  'hot-folder-missing',
  'hot-folder-on-two-disks',
  'hot-folder-not-answering',
  'hot-folder-not-started',
  'disk-full',
  'folder-not-writable',
  'database-newer',
  'database-damaged',
  'database-in-use',
  'history-missing',
  'database-missing',
  'database-checking',
  'backup-unusable',
] as const

export const errorCodeSchema = z.enum(errorCodes)
export type ErrorCode = z.infer<typeof errorCodeSchema>

/** An expected failure as a value: no stack, no secret, one sentence for a person. */
export const appErrorSchema = z.object({
  code: errorCodeSchema,
  message: z.string(),
  details: z.record(z.string(), z.string()).optional(),
  /** What is the matter at the printer, for the screen to word. */
  says: z.array(printerRemarkSchema).optional(),
  /** What of a label would be lost. */
  findings: z.array(labelFindingSchema).max(100).optional(),
})
export type AppError = z.infer<typeof appErrorSchema>

/**
 * Makes an AppError.
 * @param message one English sentence: what is wrong, where, what to do
 * @param details the sentence's variable parts by name; `serviceSays` holds the service's own words
 */
export function appError(code: ErrorCode, message: string, details?: Record<string, string>): AppError {
  return details === undefined ? { code, message } : { code, message, details }
}

/** Troubles at start that end when their cause does: the start is tried again by itself. */
export const passingTroubles: readonly ErrorCode[] = [
  'disk-full',
  'folder-not-writable',
  'database-in-use',
  'startup-trouble',
]
