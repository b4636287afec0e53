import { hash, X509Certificate } from 'node:crypto'
import { join, resolve } from 'node:path'
import { type AppError, appError } from '../../shared/errors'
import type { FleetSettings } from '../../shared/fleet'
import type { Printer } from '../../shared/printing'
import { err, ok, type Result } from '../../shared/result'
import type { Scale } from '../../shared/scale'
import type { Settings, SettingsChange } from '../../shared/settings'
import { parseBaseUrl } from '../carrier/service'
import type { AccountBefore, Target, TargetConsent } from '../lib/desktop'
import { parseJsonText } from '../lib/jsonText'
import { readCaFile } from '../lib/plainFiles'
import { splitPem } from '../network/trust'
import { toAddress } from '../printing/drivers/socket'
import { readSettings } from '../settings/settingsStore'
import type { StationCopy } from '../storage/stationCopy'

type NetworkChange = Pick<SettingsChange, 'proxy' | 'certificates'>

export interface TargetConsentDeps {
  /** Absolute path; base of relative folders. */
  dataFolder: string
  /** Asks the person at the station, outside the page. */
  ask(targets: readonly Target[]): Promise<boolean>
}

/**
 * SECURITY: main asks with a dialog that the page can neither draw nor answer. Consent lasts until the app closes, so that
 * testing a printer and saving it asks once.
 */
export function createTargetConsent({ dataFolder, ask }: TargetConsentDeps): TargetConsent {
  const agreed = new Set<string>()
  let asking = false
  let hadAccount = false

  async function consent(wanted: readonly Target[], present: readonly Target[]): Promise<Result<undefined>> {
    const unknown = withoutKnown(wanted, present).filter((target) => !agreed.has(toKey(target)))
    if (unknown.length === 0) return ok(undefined)
    // Repeated requests of the page must not flood the person with dialogs.
    if (asking) return err(notConfirmed(unknown))
    asking = true
    try {
      if (!(await ask(unknown))) return err(notConfirmed(unknown))
    } finally {
      asking = false
    }
    for (const target of unknown) agreed.add(toKey(target))
    return ok(undefined)
  }

  function noteAccount({ state, baseUrl }: AccountBefore): void {
    hadAccount ||= state !== 'none'
    if (baseUrl !== null) agreed.add(toKey(serviceAt(baseUrl)))
  }

  return {
    noteChosenFolder(path) {
      agreed.add(toKey({ kind: 'hot-folder', place: path }))
    },
    forChange: async (change, settings) => consent(await findNewTargets(change, settings, dataFolder), []),
    forPrinter: (printer, settings) =>
      consent(toTargets(printer, dataFolder), targetsIn(settings, dataFolder)),
    forScan: (addresses) => consent([{ kind: 'printer-scan', place: addresses }], []),
    async forAccount(baseUrl, before) {
      noteAccount(before)
      const url = parseBaseUrl(baseUrl)
      // An invalid URL is refused where it would be used.
      return hadAccount && url.ok ? consent([serviceAt(url.value)], []) : ok(undefined)
    },
    forFleet: (wanted, present) =>
      consent([toFleetTarget(wanted)], present === null ? [] : [toFleetTarget(present)]),
    async forNetworkTest(origin, wanted, present, before) {
      noteAccount(before)
      // If a script could choose the host, it could leak data through DNS names and scan ports.
      const service = hadAccount ? [serviceAt(origin)] : []
      const [ofWanted, ofPresent] = await withFiles(wanted, present)
      return consent(
        [...toNetworkTargets(wanted), ...ofWanted, ...service],
        [...toNetworkTargets(present), ...ofPresent],
      )
    },
    noteForgotten: noteAccount,
  }
}

/**
 * The targets of settings that the present ones do not have.
 * @param dataFolder absolute path; base of relative folders
 */
async function findNewTargets(
  wanted: SettingsChange,
  present: Settings,
  dataFolder: string,
): Promise<Target[]> {
  const [ofWanted, ofPresent] = await withFiles(wanted, present)
  return withoutKnown(
    [...targetsIn(wanted, dataFolder), ...ofWanted],
    [...targetsIn(present, dataFolder), ...ofPresent],
  )
}

/**
 * The targets that a restored copy would bring, for its question. None if its settings can't be used: they have no effect then.
 * @param present the settings that it replaces
 * @param dataFolder absolute path; base of relative folders
 */
export async function findRestoredTargets(
  { settings }: StationCopy,
  present: Settings,
  dataFolder: string,
): Promise<Target[]> {
  const parsed = settings && parseJsonText(settings.toString('utf8'))
  if (!parsed?.ok) return []
  const copied = readSettings({ path: join(dataFolder, 'settings.json'), read: () => parsed.value })
  return copied.ok ? findNewTargets(copied.value.settings, present, dataFolder) : []
}

function withoutKnown(wanted: readonly Target[], present: readonly Target[]): Target[] {
  const known = new Set(present.map(toKey))
  return wanted.filter((target) => !known.has(toKey(target)))
}

function targetsIn(settings: SettingsChange, dataFolder: string): Target[] {
  const { printers = [], hotFolder, orderImport, labelHosts = [], scale, fleet, updates } = settings
  const { allowWeakStorage = false, backup } = settings
  return [
    ...printers.flatMap((printer) => toTargets(printer, dataFolder)),
    ...(hotFolder ? [{ kind: 'hot-folder', place: resolve(dataFolder, hotFolder.path) } as const] : []),
    ...(orderImport
      ? [{ kind: 'import-folder', place: resolve(dataFolder, orderImport.path) } as const]
      : []),
    ...labelHosts.map((place) => ({ kind: 'label-host', place }) as const),
    ...(scale ? [{ kind: 'scale', place: toDevice(scale) } as const] : []),
    ...(fleet ? [toFleetTarget(fleet)] : []),
    ...toNetworkTargets(settings),
    // The update server learns about the station, and the URL could carry more data.
    ...(updates ? [{ kind: 'updates', place: updates.url } as const] : []),
    ...(backup?.folder
      ? [{ kind: 'backup-folder', place: resolve(dataFolder, backup.folder) } as const]
      : []),
    ...(allowWeakStorage ? [{ kind: 'weak-storage', place: join(dataFolder, 'vault.json') } as const] : []),
  ]
}

function toTargets(printer: Printer, dataFolder: string): Target[] {
  switch (printer.driver) {
    case 'socket':
      return [{ kind: 'printer', printer: printer.id, place: toAddress(printer) }]
    case 'folder':
      return [{ kind: 'printer-folder', printer: printer.id, place: resolve(dataFolder, printer.path) }]
    case 'system':
      // On Windows a UNC name addresses another computer, which receives the user's sign-in.
      return printer.queue.startsWith('\\\\')
        ? [{ kind: 'printer', printer: printer.id, place: printer.queue }]
        : []
  }
}

/** The whole origin: a host's owner controls all of its paths. */
function serviceAt({ origin }: URL): Target {
  return { kind: 'service', place: origin }
}

/** Includes the trusted certificates, because they decide which server is accepted. */
function toFleetTarget({ host, port, database, tls, caFile }: FleetSettings): Target {
  const trust = tls === 'off' ? ', tls: off' : caFile === undefined ? '' : `, caFile: ${caFile}`
  return { kind: 'fleet', place: `${host}:${port}/${database}${trust}` }
}

/** Proxy and authorities: whoever sets both can read all traffic. */
function toNetworkTargets({ proxy, certificates }: NetworkChange): Target[] {
  return [
    ...(proxy?.mode === 'manual'
      ? [{ kind: 'proxy', place: `${proxy.tls ? 'https' : 'http'}://${proxy.host}:${proxy.port}` } as const]
      : []),
    ...describeCertificates(certificates?.pem ?? '').map(
      (place) => ({ kind: 'certificates', place }) as const,
    ),
  ]
}

/** The certificate files of a change and of the current settings; reads nothing when the change names no file. */
async function withFiles(wanted: NetworkChange, present: NetworkChange): Promise<[Target[], Target[]]> {
  const file = wanted.certificates?.file
  if (file === undefined) return [[], []]
  const described = await describeFile(file)
  return [described, file === present.certificates?.file ? described : []]
}

async function describeFile(file: string): Promise<Target[]> {
  const described = describeCertificates(await readCaFile(file).catch(() => ''))
  const places = described.length === 0 ? [file] : described.map((each) => `${each}: ${file}`)
  return places.map((place) => ({ kind: 'certificates', place }))
}

/** How many certificates of a text are listed one by one: more do not fit in the dialog. */
const maxDescribed = 10

function describeCertificates(text: string): string[] {
  const certificates = splitPem(text)
  return certificates.length > maxDescribed
    ? [`SHA-256 ${hash('sha256', text)}`]
    : certificates.map(describeCertificate)
}

/** Begins with the fingerprint, because the dialog cuts a long subject off, and a subject can contain a false one. */
function describeCertificate(pem: string): string {
  try {
    const { subject, fingerprint256 } = new X509Certificate(pem)
    return `SHA-256 ${fingerprint256}, ${subject.replaceAll('\n', ', ')}`
  } catch {
    return hash('sha256', pem)
  }
}

/** A scale as text: vendor and product ID, then the name that it reports. */
export function toDevice({ vendorId, productId, name }: Scale): string {
  const numbers = [vendorId, productId].map((id) => id.toString(16).padStart(4, '0')).join(':')
  return `${numbers} ${name}`.trim()
}

/**
 * A folder of orders and labels is one target whatever its use; copies of the station also contain its history. Paths are
 * case-sensitive; the fleet's place contains one.
 */
function toKey({ kind, place }: Target): string {
  const isFolder = kind === 'hot-folder' || kind === 'import-folder' || kind === 'printer-folder'
  const isExact = isFolder || kind === 'backup-folder' || kind === 'fleet' || kind === 'certificates'
  return `${isFolder ? 'folder' : kind}: ${isExact ? place : place.toLowerCase()}`
}

function notConfirmed(targets: readonly Target[]): AppError {
  const places = targets.map(({ place }) => place).join(', ')
  return appError('change-not-confirmed', { places })
}
