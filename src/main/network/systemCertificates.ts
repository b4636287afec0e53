import { readFile } from 'node:fs/promises'
import { runProgram, windowsPowershell } from '../lib/programs'

/** Where Linux distributions keep the certificates of all authorities in one file. */
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

/** What an administrator, or a policy of the domain, put there; the well-known authorities come with the app. */
const macKeychain = '/Library/Keychains/System.keychain'

/** The authorities that Windows believes, of the computer and of this user, but for those that it was told not to. */
const windowsQuestion = `
$denied = @(Get-ChildItem Cert:\\LocalMachine\\Disallowed, Cert:\\CurrentUser\\Disallowed | ForEach-Object Thumbprint)
Get-ChildItem Cert:\\LocalMachine\\Root, Cert:\\CurrentUser\\Root | Where-Object { $denied -notcontains $_.Thumbprint } |
  ForEach-Object { [Convert]::ToBase64String($_.RawData) }`

export interface SystemStoreDeps {
  platform: NodeJS.Platform
  run?: typeof runProgram
  bundles?: readonly string[]
}

/**
 * The certificates of authorities that the operating system believes, as PEM texts, some perhaps twice.
 * @returns none when they can't be had
 */
export async function readSystemCertificates({
  platform,
  run = runProgram,
  bundles = linuxBundles,
}: SystemStoreDeps): Promise<string[]> {
  if (platform === 'win32') {
    const parameters = ['-NoProfile', '-NonInteractive', '-Command', windowsQuestion]
    const end = await run(windowsPowershell, parameters, { timeoutMs, maxOutputBytes })
    return end.kind === 'success' ? end.output.split(/\s+/).filter(isBase64).map(toPem) : []
  }
  if (platform === 'darwin') {
    const parameters = ['find-certificate', '-a', '-p', macKeychain]
    const end = await run('/usr/bin/security', parameters, { timeoutMs, maxOutputBytes })
    return end.kind === 'success' ? splitPem(end.output) : []
  }
  for (const bundle of bundles) {
    const certificates = splitPem(await readFile(bundle, 'utf8').catch(() => ''))
    if (certificates.length > 0) return certificates
  }
  return []
}

/** The certificates of a PEM text one by one. */
export function splitPem(text: string): string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []
}

function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/]{100,}={0,2}$/.test(text)
}

function toPem(base64: string): string {
  const lines = base64.match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----'].join('\n')
}
