import { X509Certificate } from 'node:crypto'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { type AppError, appError } from '../../shared/errors'
import type { CertificateSettings } from '../../shared/network'
import { readCaFile } from '../lib/plainFiles'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import { splitPem } from './systemCertificates'

export interface TrustDeps {
  /** The certificates of the operating system, as PEM texts. */
  system(): Promise<string[]>
  /** A file of more certificates, where the start named one; undefined for none. */
  extraFile?: string | undefined
  log: Log
}

/** What certificates are verified by, and what could not be used of the settings. */
export interface LoadedTrust {
  /** Undefined for the authorities that come with the runtime. */
  context: SecureContext | undefined
  error: AppError | undefined
}

/**
 * Whose certificates are believed: the well-known authorities that come with the app, those of the operating system, and
 * those of the settings. Read once for each change of the settings, since reading hundreds of certificates takes a while.
 */
export class Trust {
  private loaded: { settings: string; trust: Promise<LoadedTrust> } | undefined

  constructor(private readonly deps: TrustDeps) {}

  /** What is loaded for these settings; another call with the same ones costs nothing. */
  load(settings: CertificateSettings): Promise<LoadedTrust> {
    const key = JSON.stringify(settings)
    if (this.loaded?.settings !== key) this.loaded = { settings: key, trust: this.read(settings) }
    return this.loaded.trust
  }

  /** The next call reads everything anew. */
  forget(): void {
    this.loaded = undefined
  }

  private async read({ system, file, pem }: CertificateSettings): Promise<LoadedTrust> {
    const { log } = this.deps
    const [ofSystem, ofFile, ofStart] = await Promise.all([
      system ? this.deps.system().catch(() => []) : [],
      this.readFrom(file),
      this.readFrom(this.deps.extraFile),
    ])
    const ofSettings = usable(pem === undefined ? [] : splitPem(pem))
    const own = [...usable(ofSystem), ...ofFile.certificates, ...ofStart.certificates, ...ofSettings]
    const error =
      ofFile.error ??
      ofStart.error ??
      (pem !== undefined && ofSettings.length === 0 ? unusable('', 'no-certificate') : undefined)
    if (error !== undefined) log.warn('certificates can not be used', { reason: error.message })
    const added = own.filter((certificate) => !wellKnown().has(toKey(certificate)))
    if (added.length === 0) return { context: undefined, error }
    log.info('certificates are verified by more authorities', {
      system: ofSystem.length,
      added: added.length,
    })
    return { context: createSecureContext({ ca: [...rootCertificates, ...added] }), error }
  }

  private async readFrom(path: string | undefined): Promise<{ certificates: string[]; error?: AppError }> {
    if (path === undefined) return { certificates: [] }
    try {
      const certificates = usable(splitPem(await readCaFile(path)))
      return certificates.length > 0
        ? { certificates }
        : { certificates, error: unusable(path, 'no-certificate') }
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : toReason(error)
      return { certificates: [], error: unusable(path, reason) }
    }
  }
}

/** Those that can be parsed: one that can't would make all of them useless. */
function usable(certificates: readonly string[]): string[] {
  return certificates.filter((certificate) => {
    try {
      return new X509Certificate(certificate).ca
    } catch {
      return false
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
