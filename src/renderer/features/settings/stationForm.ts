import { z } from 'zod'
import { settingsSchema } from '../../../shared/settings'
import { faultsByPath } from '../../ui/faults'
import { readNumber } from '../../ui/fieldValues'
import { repeatedScanRules, type ScanBackValues, scanBackOf, scanBackRows } from './scanRulesForm'
import type { TabForm } from './tabStore'

/** The station tab as typed; waits are in seconds. */
export interface StationValues {
  language: string
  appearance: string
  labelDelivery: string
  labelHosts: string
  hotFolder: boolean
  hotFolderPath: string
  hotFolderPrint: boolean
  retentionDays: string
  guardDays: string
  connectTimeout: string
  answerTimeout: string
  allowWeakStorage: boolean
  manifestLockAgreed: boolean
  scanBack: ScanBackValues
  proveBarcodes: string
}

const stationSchema = settingsSchema.pick({
  language: true,
  appearance: true,
  labelDelivery: true,
  labelHosts: true,
  hotFolder: true,
  retentionDays: true,
  guardDays: true,
  allowWeakStorage: true,
  manifestLockAgreed: true,
  scanBack: true,
  proveBarcodes: true,
  network: true,
})

/** Longest and shortest waits in seconds: the schema's are in milliseconds, which nobody types. */
const waitsSchema = z.object({
  connectTimeout: z.number().min(0.1).max(120),
  answerTimeout: z.number().min(0.1).max(600),
})

/** The station tab: language and looks, hot folder, waits and safety. */
export const stationForm: TabForm<StationValues> = {
  fromSettings: (settings) => ({
    language: settings.language,
    appearance: settings.appearance,
    labelDelivery: settings.labelDelivery,
    labelHosts: settings.labelHosts.join(', '),
    hotFolder: settings.hotFolder !== null,
    hotFolderPath: settings.hotFolder?.path ?? '',
    hotFolderPrint: settings.hotFolder?.print ?? true,
    retentionDays: String(settings.retentionDays),
    guardDays: String(settings.guardDays),
    connectTimeout: String(settings.network.connectTimeoutMs / 1000),
    answerTimeout: String(settings.network.answerTimeoutMs / 1000),
    allowWeakStorage: settings.allowWeakStorage,
    manifestLockAgreed: settings.manifestLockAgreed,
    scanBack: scanBackRows(settings.scanBack),
    proveBarcodes: settings.proveBarcodes,
  }),
  toChange(values) {
    const waits = waitsSchema.safeParse({
      connectTimeout: readNumber(values.connectTimeout),
      answerTimeout: readNumber(values.answerTimeout),
    })
    const parsed = stationSchema.safeParse({
      language: values.language,
      appearance: values.appearance,
      labelDelivery: values.labelDelivery,
      labelHosts: values.labelHosts.split(/[\s,;]+/).filter((host) => host !== ''),
      allowWeakStorage: values.allowWeakStorage,
      manifestLockAgreed: values.manifestLockAgreed,
      scanBack: scanBackOf(values.scanBack),
      proveBarcodes: values.proveBarcodes,
      hotFolder: values.hotFolder ? { path: values.hotFolderPath, print: values.hotFolderPrint } : null,
      retentionDays: readNumber(values.retentionDays),
      guardDays: readNumber(values.guardDays),
      network: {
        connectTimeoutMs: waits.success ? Math.round(waits.data.connectTimeout * 1000) : 1000,
        answerTimeoutMs: waits.success ? Math.round(waits.data.answerTimeout * 1000) : 1000,
      },
    })
    const repeated = repeatedScanRules(values.scanBack)
    const alone = Object.keys(repeated).length === 0
    if (waits.success && parsed.success && alone) return { ok: true, change: parsed.data }
    return {
      ok: false,
      faults: {
        ...(waits.success ? {} : faultsByPath(waits.error)),
        ...(parsed.success ? {} : faultsByPath(parsed.error)),
        ...repeated,
      },
    }
  },
}
