import type { AccountStatus } from '../../shared/account'
import type { Result } from '../../shared/result'
import type { Settings } from '../../shared/settings'
import type { EventBus } from '../lib/eventBus'
import { toReason } from '../lib/toReason'
import { type Provisioning, parseProvisioning, readProvisioning } from '../settings/provisioning'
import type { StationFile, StationFileMark, StationFileRefusal } from '../settings/stationFile'
import type { Lifecycle } from './lifecycle'
import { createNotice } from './notices'
import type { Handover } from './process'

/** The computer's station file, as read at this start. */
export interface FoundStationFile {
  file: Result<StationFile | undefined, StationFileRefusal>
  /** The environment variables that it names. */
  environment: Handover['environment']
}

/**
 * Applies provisioning files one after the other, as soon as the services run. The station file is applied first. Errors become
 * notices, because nobody may be watching the start, and a later start hands its file to a process whose standard error nobody
 * sees. Errors of files named on the command line are also printed on standard error.
 */
export function createProvisioningQueue(
  lifecycle: Pick<Lifecycle, 'services' | 'provision' | 'addNotice' | 'endNotices'>,
  stationFile: FoundStationFile & { mark: StationFileMark },
  bus: Pick<EventBus, 'on'>,
) {
  const waiting: { path: string; environment: Handover['environment'] }[] = []
  let isStationFileDone = false

  async function applyStationFile(): Promise<void> {
    const services = lifecycle.services()
    if (!services.ok || isStationFileDone) return
    isStationFileDone = true
    const { file, environment, mark } = stationFile
    if (!file.ok) {
      const { kind, path, reason } = file.error
      return lifecycle.addNotice(createNotice(`station-file-${kind}`, { path, reason }))
    }
    if (file.value === undefined) return
    const { settings, session } = services.value
    const { state, storage } = session.status()
    const wanted = findStationFileWork(file.value, environment, {
      isApplied: mark.isApplied(file.value),
      lacksAccount: mark.isAccountWaiting() || (state === 'none' && storage === 'memory'),
      current: settings.current(),
    })
    if (wanted === undefined) return
    const issues = Array.isArray(wanted) ? wanted : await tryProvision(lifecycle, wanted)
    if (issues.length > 0) {
      return lifecycle.addNotice(createNotice('station-file-invalid', toDetails(file.value.path, issues)))
    }
    const applied = file.value
    writeMark(applied, session.status())
    // Its account may be kept later, e.g. once the keyring is unlocked; what people change afterwards stays.
    bus.on('accountChanged', (status) => {
      if (status.storage !== 'memory' && mark.isAccountWaiting()) writeMark(applied, status)
    })
  }

  function writeMark(file: StationFile, { storage }: Pick<AccountStatus, 'storage'>): void {
    try {
      stationFile.mark.write(file, storage === 'memory')
    } catch (error) {
      lifecycle.addNotice(
        createNotice('station-file-not-noted', { path: file.path, reason: toReason(error) }),
      )
    }
  }

  /** Applies the waiting files if the services run by now. */
  async function apply(): Promise<void> {
    await applyStationFile()
    const services = lifecycle.services()
    const next = services.ok ? waiting.shift() : undefined
    if (!services.ok || next === undefined) return
    const read = await readProvisioning(next.path, next.environment, services.value.settings.current())
    const issues = read.ok ? await tryProvision(lifecycle, read.value) : read.error
    for (const issue of issues) process.stderr.write(`${issue}\n`)
    // Only what the file's last application found still applies.
    lifecycle.endNotices('provisioning-failed', next.path)
    if (issues.length > 0) {
      lifecycle.addNotice(createNotice('provisioning-failed', toDetails(next.path, issues)))
    }
    await apply()
  }

  return {
    async enqueue({ provision: path, environment }: Pick<Handover, 'provision' | 'environment'>) {
      if (path !== null) waiting.push({ path, environment })
      await apply()
    },
    apply,
  }
}

/**
 * Finds the part of a station file to apply: everything when the file changed since it was applied; else only its account, when the
 * station lacks it because it could not be kept, e.g. without a keyring.
 * @returns one line per issue when the file is invalid; undefined when there is nothing to apply
 */
function findStationFileWork(
  { text }: StationFile,
  environment: Handover['environment'],
  station: { isApplied: boolean; lacksAccount: boolean; current: Settings },
): Provisioning | string[] | undefined {
  if (station.isApplied && !station.lacksAccount) return undefined
  const parsed = parseProvisioning(text, environment, station.current)
  if (!parsed.ok) return parsed.error
  if (!station.isApplied) return parsed.value
  const { account, holdsSecrets } = parsed.value
  return account === undefined ? undefined : { settingsChange: {}, account, holdsSecrets }
}

/** How many issues a notice lists; the rest are counted. */
const maxIssuesShown = 3

function toDetails(path: string, issues: readonly string[]): { path: string; reason: string } {
  const shown = issues.slice(0, maxIssuesShown)
  const others = issues.length - shown.length
  const reason = [...shown, ...(others > 0 ? [`and ${others} more`] : [])].join('; ')
  return { path, reason }
}

async function tryProvision(
  lifecycle: Pick<Lifecycle, 'provision'>,
  provisioning: Parameters<Lifecycle['provision']>[0],
): Promise<string[]> {
  try {
    const result = await lifecycle.provision(provisioning)
    return result.ok ? [] : [result.error.message]
  } catch (error) {
    // A faulty file must not prevent the start from finishing.
    return [toReason(error)]
  }
}
