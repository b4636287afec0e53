import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { type AppError, appError } from '../../shared/errors'
import type { CertificateSettings } from '../../shared/network'
import { readCaFile } from '../lib/plainFiles'
import { type ProgramEnd, runProgram, windowsPowershell } from '../lib/programs'
import { systemCode } from '../lib/synced'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'

export interface TrustDeps {
  /** The certificates of the operating system, as PEM texts; rejects when they can't be read. */
  system(): Promise<string[]>
  /** A further file of certificates, if one was given at start. */
  extraFile?: string | undefined
  log: Log
  /** Measured milliseconds, independent of the clock. */
  elapsed?: () => number
}

/** How long the system's certificates are not read again after a failure: reading them may take 20 seconds. */
const rereadMs = 60_000

/** The trusted authorities, and the error for those in the settings that can't be used. */
export interface LoadedTrust {
  /** Undefined for the authorities of the runtime only. */
  context: SecureContext | undefined
  error: AppError | undefined
}

/**
 * The trusted certificate authorities: those of the runtime, of the operating system, and of the settings. Loaded once for
 * each change of the settings, since parsing hundreds of certificates takes a while, and again after those of the system
 * could not be read.
 */
export class Trust {
  private loaded: { settings: string; trust: Promise<LoadedTrust> } | undefined
  private systemFailedAt: number | undefined
  private readonly elapsed: () => number

  constructor(private readonly deps: TrustDeps) {
    this.elapsed = deps.elapsed ?? (() => performance.now())
  }

  /** Loads the authorities for these settings, or returns the cached ones. */
  load(settings: CertificateSettings): Promise<LoadedTrust> {
    const key = JSON.stringify(settings)
    if (this.loaded?.settings !== key) this.loaded = { settings: key, trust: this.read(settings) }
    else if (this.systemFailedAt !== undefined && this.elapsed() - this.systemFailedAt >= rereadMs) {
      void this.readAgain(settings)
    }
    return this.loaded.trust
  }

  /** Replaces the cached authorities once those of the system could be read. No connection waits for it. */
  private async readAgain(settings: CertificateSettings): Promise<void> {
    const present = this.loaded
    this.systemFailedAt = undefined
    const trust = await this.read(settings).catch(() => undefined)
    if (trust === undefined || this.systemFailedAt !== undefined || this.loaded !== present) return
    this.loaded = { settings: JSON.stringify(settings), trust: Promise.resolve(trust) }
  }

  /** The same sources, read anew: for a test, whose reading must not delay or harm connections. */
  withoutCache(): Trust {
    return new Trust(this.deps)
  }

  /** Takes over the authorities that a test has loaded, if it used the same settings and could read those of the system. */
  adopt(tested: Trust): void {
    if (tested.systemFailedAt !== undefined || tested.loaded?.settings !== this.loaded?.settings) return
    this.loaded = tested.loaded
    this.systemFailedAt = undefined
  }

  private async read({ system, file, pem }: CertificateSettings): Promise<LoadedTrust> {
    const { log } = this.deps
    const [ofSystem, ofFile, ofStart] = await Promise.all([
      system ? this.readSystem() : [],
      this.readFrom(file),
      this.readFrom(this.deps.extraFile),
    ])
    const ofSettings = usable(pem === undefined ? [] : splitPem(pem))
    const own = [...usable(ofSystem), ...ofFile.certificates, ...ofStart.certificates, ...ofSettings]
    const error =
      ofFile.error ??
      ofStart.error ??
      (pem !== undefined && ofSettings.length === 0 ? unusable('', 'no-certificate') : undefined)
    if (error !== undefined) {
      log.warn('certificates of the settings can not be used: connections may be refused', {
        reason: error.message,
      })
    }
    const added = own.filter((certificate) => !wellKnown().has(toKey(certificate)))
    if (added.length === 0) return { context: undefined, error }
    log.info('additional certificate authorities are trusted', {
      system: ofSystem.length,
      added: added.length,
    })
    return { context: createSecureContext({ ca: [...rootCertificates, ...added] }), error }
  }

  private async readSystem(): Promise<string[]> {
    try {
      return await this.deps.system()
    } catch (error) {
      this.systemFailedAt = this.elapsed()
      this.deps.log.warn(
        'the certificates of the operating system could not be read: connections may be refused; they are read again for a connection after a minute',
        { reason: toReason(error) },
      )
      return []
    }
  }

  private async readFrom(path: string | undefined): Promise<{ certificates: string[]; error?: AppError }> {
    if (path === undefined) return { certificates: [] }
    try {
      const certificates = usable(splitPem(await readCaFile(path)))
      return certificates.length > 0
        ? { certificates }
        : { certificates, error: unusable(path, 'no-certificate') }
    } catch (error) {
      const reason = systemCode(error) || toReason(error)
      return { certificates: [], error: unusable(path, reason) }
    }
  }
}

/**
 * Certificates of authorities that can be parsed: a single invalid one would make Node refuse the whole list.
 * SECURITY: each is encoded again, because TLS would also trust other certificates that its text hides, and the person
 * confirmed only the one that is parsed from it.
 */
function usable(certificates: readonly string[]): string[] {
  return certificates.flatMap((text) => {
    try {
      const certificate = new X509Certificate(text)
      return certificate.ca ? [certificate.toString()] : []
    } catch {
      return []
    }
  })
}

let keysOfWellKnown: ReadonlySet<string> | undefined
function wellKnown(): ReadonlySet<string> {
  keysOfWellKnown ??= new Set(rootCertificates.map(toKey))
  return keysOfWellKnown
}

function toKey(certificate: string): string {
  return certificate.replace(/\s+/g, '')
}

function unusable(path: string, reason: string): AppError {
  return appError('certificates-unusable', { path, reason })
}

/** Certificate bundles of Linux distributions. */
const linuxBundles = [
  // Debian, Ubuntu, Arch, Gentoo
  '/etc/ssl/certs/ca-certificates.crt',
  // Fedora, RHEL
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/pki/tls/certs/ca-bundle.crt',
  // openSUSE
  '/var/lib/ca-certificates/ca-bundle.pem',
  '/etc/ssl/ca-bundle.pem',
  // Alpine
  '/etc/ssl/cert.pem',
]

const timeoutMs = 20_000
const maxOutputBytes = 16 * 1024 * 1024

/** Certificates installed by an administrator or a device policy; the well-known authorities come with the app. */
const macKeychain = '/Library/Keychains/System.keychain'

/**
 * The trusted authorities of the computer and of this user, except disallowed ones: a line of decimal bytes each. Policies
 * such as AppLocker and WDAC forbid scripts to call methods, also those that would encode the bytes.
 */
const windowsQuestion = `
$denied = @(Get-ChildItem Cert:\\LocalMachine\\Disallowed, Cert:\\CurrentUser\\Disallowed | ForEach-Object Thumbprint)
Get-ChildItem Cert:\\LocalMachine\\Root, Cert:\\CurrentUser\\Root | Where-Object { $denied -notcontains $_.Thumbprint } |
  ForEach-Object { $_.RawData -join ' ' }`

export interface SystemStoreDeps {
  platform: NodeJS.Platform
  run?: typeof runProgram
  bundles?: readonly string[]
}

/**
 * The authorities that the operating system trusts, as PEM texts, possibly with duplicates.
 * Rejects when the system's program did not list them.
 */
export async function readSystemCertificates({
  platform,
  run = runProgram,
  bundles = linuxBundles,
}: SystemStoreDeps): Promise<string[]> {
  if (platform === 'win32') {
    const parameters = ['-NoProfile', '-NonInteractive', '-Command', windowsQuestion]
    const end = await run(windowsPowershell, parameters, { timeoutMs, maxOutputBytes })
    return toOutput(end).split(/\r?\n/).filter(isBytes).map(toPem)
  }
  if (platform === 'darwin') {
    const parameters = ['find-certificate', '-a', '-p', macKeychain]
    const end = await run('/usr/bin/security', parameters, { timeoutMs, maxOutputBytes })
    return splitPem(toOutput(end))
  }
  for (const bundle of bundles) {
    const certificates = splitPem(await readFile(bundle, 'utf8').catch(() => ''))
    if (certificates.length > 0) return certificates
  }
  return []
}

function toOutput(end: ProgramEnd): string {
  if (end.kind === 'success') return end.output
  throw new Error(end.kind === 'missing' ? 'its program is missing' : `its program was ended: ${end.words}`)
}

/** The certificates of a PEM text one by one. */
export function splitPem(text: string): string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []
}

function isBytes(line: string): boolean {
  return /^\d{1,3}(?: \d{1,3})+$/.test(line)
}

function toPem(bytes: string): string {
  const base64 = Buffer.from(bytes.split(' ').map(Number)).toString('base64')
  const lines = base64.match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----'].join('\n')
}
