import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { ConnectAccount } from '../../shared/account'
import { fleetSettingsSchema } from '../../shared/fleet'
import { sayRecordIssue } from '../../shared/inputIssues'
import { type ProxyCredentials, proxyCredentialsSchema } from '../../shared/network'
import { defaultPeopleSettings, pinSchema } from '../../shared/people'
import { err, ok, type Result } from '../../shared/result'
import { defaultSettings, type Settings, type SettingsChange } from '../../shared/settings'
import { parseBaseUrl } from '../carrier/service'
import { defaultsFromWire } from '../carrier/shipmentCodec'
import { jsonIssueText, parseJsonText, parseUnambiguousJson } from '../lib/jsonText'
import { toReason } from '../lib/toReason'
import {
  findChangeIssues,
  findCrossIssues,
  findDocumentPrinterIssues,
  type InputIssue,
  issueLine,
  listIssues,
} from './issues'
import {
  type AccountFields,
  accountFieldsSchema,
  type FleetFields,
  type PeopleFields,
  type ProvisioningFile,
  type ProxyFields,
  provisioningSchema,
} from './provisioningSchema'

/** The validated content of a provisioning file. Nothing has been applied yet. */
export interface Provisioning {
  settingsChange: SettingsChange
  account?: ConnectAccount & { allowWeakStorage: boolean }
  /** The administrator's PIN; null removes it, undefined keeps the current one. */
  pin?: string | null
  /** The password of the fleet database; undefined keeps the current one. */
  fleetPassword?: string
  /** Credentials of the proxy `place` (`host:port`); undefined keeps the current ones. */
  proxyCredentials?: { place: string; credentials: ProxyCredentials }
  /** Whether the file itself contains the user name, a password or the PIN. */
  holdsSecrets: boolean
}

const accountHolder = z.object({ account: z.record(z.string(), z.unknown()) })

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads a provisioning file from disk; see `parseProvisioning`.
 * @param path absolute
 */
export async function readProvisioning(
  path: string,
  env: Environment,
  current: Settings,
): Promise<Result<Provisioning, string[]>> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const reason = toReason(error)
    return err([`The provisioning file can't be read (${reason}); check its path and its permissions.`])
  }
  return parseProvisioning(text, env, current)
}

/** The byte order mark of UTF-16, read as UTF-8. Notepad and PowerShell on Windows may write that encoding by default. */
const utf16Mark = '\uFFFD\uFFFD'

/**
 * Validates the text of a provisioning file.
 * @param env the environment in which `userEnv`, `passwordEnv` and `pinEnv` are looked up
 * @param current the station's settings, which must be consistent with the parts that the file changes
 * @returns the content, or one line per issue: where it is and how to fix it. No line contains a secret.
 */
export function parseProvisioning(
  text: string,
  env: Environment,
  current: Settings,
): Result<Provisioning, string[]> {
  const json = readJson(text, parseUnambiguousJson)
  if (!json.ok) return json
  const { parts, account: givenAccount, issues } = readParts(json.value)
  const settings = toSettings(parts, current)
  const account = givenAccount === undefined ? ok(undefined) : getAccount(givenAccount, env)
  if (!settings.ok) issues.push(...settings.error)
  if (!account.ok) issues.push(...account.error)
  const pin = getPin(parts.people, env)
  if (!pin.ok) issues.push(pin.error)
  const fleetPassword = getFleetPassword(parts.fleet ?? {}, env)
  if (!fleetPassword.ok) issues.push(fleetPassword.error)
  const proxyCredentials = getProxyCredentials(parts.proxy, env)
  if (!proxyCredentials.ok) issues.push(...proxyCredentials.error)
  const isSound = settings.ok && account.ok && pin.ok && fleetPassword.ok && proxyCredentials.ok
  if (issues.length > 0 || !isSound) {
    return err(toLines(issues))
  }
  return ok({
    settingsChange: settings.value,
    ...(account.value === undefined ? {} : { account: account.value }),
    ...(pin.value !== undefined && { pin: pin.value }),
    ...(fleetPassword.value !== undefined && { fleetPassword: fleetPassword.value }),
    ...(proxyCredentials.value !== undefined && { proxyCredentials: proxyCredentials.value }),
    holdsSecrets: holdSecrets(parts, givenAccount),
  })
}

/**
 * Reads only the account of a provisioning file that was applied before: people may have changed settings since, which its other parts
 * need not fit.
 * @returns undefined when the file has no account
 */
export function parseProvisionedAccount(
  text: string,
  env: Environment,
): Result<Provisioning | undefined, string[]> {
  // The file was applied: a key that is given twice must not take the account away now.
  const json = readJson(text, parseJsonText)
  if (!json.ok) return json
  const { parts, account: given } = readParts(json.value)
  if (given === undefined) return ok(undefined)
  const account = getAccount(given, env)
  if (!account.ok) return err(toLines(account.error))
  return ok({ settingsChange: {}, account: account.value, holdsSecrets: holdSecrets(parts, given) })
}

function readJson(text: string, parse: typeof parseJsonText): Result<unknown, string[]> {
  if (text.startsWith(utf16Mark)) return err(['The provisioning file is in UTF-16: save it in UTF-8.'])
  const json = parse(text)
  return json.ok ? json : err([`The provisioning file is not JSON: ${jsonIssueText(json.error)}.`])
}

function toLines(issues: readonly InputIssue[]): string[] {
  return issues.map((issue) => issueLine(issue, 'The provisioning file '))
}

/** Whether the file itself contains the user name, a password or the PIN. */
function holdSecrets(parts: ProvisioningFile, account: GivenAccount | undefined): boolean {
  return (
    account?.keys.has('user') === true ||
    account?.keys.has('password') === true ||
    typeof parts.people?.pin === 'string' ||
    typeof parts.fleet?.password === 'string' ||
    holdsProxySecrets(parts.proxy)
  )
}

/** The account of a file, possibly incomplete or invalid. */
interface GivenAccount {
  /** The keys in the file, valid or not. */
  keys: ReadonlySet<string>
  /** The valid fields. */
  fields: AccountFields
}

/**
 * Returns the valid parts, the valid fields of the account, and the issues of the rest, so that one issue does not hide
 * another.
 */
function readParts(value: unknown): {
  parts: ProvisioningFile
  account: GivenAccount | undefined
  issues: InputIssue[]
} {
  const whole = provisioningSchema.safeParse(value)
  const account = readAccount(value, whole.error?.issues ?? [])
  if (whole.success) return { parts: whole.data, account, issues: [] }
  const invalid = new Set(
    whole.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : issue.path.slice(0, 1),
    ),
  )
  // Routing, invoices and printers can't be checked against each other while one of them is invalid.
  if (['printers', 'routing', 'customs'].some((part) => invalid.has(part))) {
    invalid.add('printers').add('routing').add('customs')
  }
  const sound = Object.entries(Object(value)).filter(([key]) => !invalid.has(key))
  const rest = provisioningSchema.safeParse(Object.fromEntries(sound))
  return { parts: rest.success ? rest.data : {}, account, issues: listIssues(whole.error, value) }
}

function readAccount(value: unknown, issues: readonly z.core.$ZodIssue[]): GivenAccount | undefined {
  const account = accountHolder.safeParse(value).data?.account
  if (account === undefined) return undefined
  const invalid = new Set(
    issues.flatMap(({ path: [part, field] }) => (part === 'account' && field !== undefined ? [field] : [])),
  )
  const sound = Object.entries(account).filter(([key]) => !invalid.has(key))
  const fields = accountFieldsSchema.safeParse(Object.fromEntries(sound))
  return { keys: new Set(Object.keys(account)), fields: fields.data ?? {} }
}

function toSettings(parts: ProvisioningFile, current: Settings): Result<SettingsChange, InputIssue[]> {
  const { $schema, account, shipmentDefaults, people, fleet, proxy, network, customs, tracking, ...others } =
    parts
  const change: SettingsChange = others
  if (network !== undefined) change.network = { ...defaultSettings.network, ...network }
  if (customs !== undefined) change.customs = { ...defaultSettings.customs, ...customs }
  if (tracking !== undefined) change.tracking = { ...defaultSettings.tracking, ...tracking }
  if (proxy !== undefined) change.proxy = toProxySettings(proxy)
  if (people !== undefined) {
    const { pin, pinEnv, ...settings } = people
    if (Object.keys(settings).length > 0) change.people = { ...defaultPeopleSettings, ...settings }
  }
  const issues: InputIssue[] = []
  if (fleet === null) change.fleet = null
  else if (fleet !== undefined) {
    const { password, passwordEnv, ...settings } = fleet
    const checked = fleetSettingsSchema.safeParse(settings)
    if (checked.success) change.fleet = checked.data
    else {
      const found = listIssues(checked.error, settings)
      issues.push(...found.map((issue) => ({ ...issue, path: `fleet.${issue.path}` })))
    }
  }
  const changed = { ...current, ...change }
  const crossIssues = [...findCrossIssues(changed), ...findChangeIssues(change, changed)]
  issues.push(...crossIssues.map((issue) => relateToFile(issue, parts)))
  if (change.customs !== undefined) {
    issues.push(...findDocumentPrinterIssues(change.customs, change.printers ?? current.printers))
  }
  if (shipmentDefaults !== undefined) {
    const defaults = defaultsFromWire(shipmentDefaults)
    if (defaults.ok) change.shipmentDefaults = defaults.value
    else
      issues.push(
        ...defaults.error.map((issue) => ({
          path: `shipmentDefaults.${issue.field}`,
          problem: sayRecordIssue({ ...issue, field: '' }),
        })),
      )
  }
  return issues.length === 0 ? ok(change) : err(issues)
}

/** Rewords a conflict with a part that the file does not contain: it is in the station's current settings. */
function relateToFile(issue: InputIssue, parts: ProvisioningFile): InputIssue {
  if (issue.path === 'hotFolder.mapping' && parts.hotFolder === undefined) {
    const problem = `the station's own ${issue.path} ${issue.problem}, or give hotFolder in this file too`
    return { path: 'importMappings', problem }
  }
  if (issue.path === 'orderImport.path' && parts.orderImport === undefined) {
    const problem = `the station's own ${issue.path} ${issue.problem}, or give orderImport in this file too`
    return { path: 'hotFolder', problem }
  }
  if (issue.path.startsWith('people') && parts.people === undefined) {
    const problem = `the station's own ${issue.path} ${issue.problem}, or give people in this file too`
    return { path: 'scanner', problem }
  }
  if (!issue.path.startsWith('routing') || parts.routing !== undefined) return issue
  return {
    path: 'printers',
    problem: `the station's own ${issue.path} ${issue.problem}, or give routing in this file too`,
  }
}

function toDuplicateIssue(part: string, key: string): InputIssue {
  return { path: `${part}.${key}`, problem: `is given twice; keep only one of ${key} and ${key}Env` }
}

function toMissingIssue(part: string, key: string): InputIssue {
  return { path: `${part}.${key}Env`, problem: `is missing; add it, or ${key} itself` }
}

function readVariable(
  part: string,
  key: string,
  variable: string,
  env: Environment,
): Result<string, InputIssue> {
  const found = env[variable]
  if (found !== undefined && found !== '') return ok(found)
  const problem = `the environment variable ${variable} is not set; set it`
  return err({ path: `${part}.${key}Env`, problem })
}

function getPin(
  people: PeopleFields | undefined,
  env: Environment,
): Result<string | null | undefined, InputIssue> {
  const { pin, pinEnv: variable } = people ?? {}
  if (variable === undefined) return ok(pin)
  if (pin !== undefined) return err(toDuplicateIssue('people', 'pin'))
  const found = pinSchema.safeParse(env[variable])
  if (found.success) return ok(found.data)
  const problem = `the environment variable ${variable} does not hold 4 to 12 digits; set it`
  return err({ path: 'people.pinEnv', problem })
}

/** Undefined when the file has none, which keeps the current password. */
function getFleetPassword(
  { password, passwordEnv: variable }: Partial<FleetFields>,
  env: Environment,
): Result<string | undefined, InputIssue> {
  if (variable === undefined) return ok(password)
  return password === undefined
    ? readVariable('fleet', 'password', variable, env)
    : err(toDuplicateIssue('fleet', 'password'))
}

function toProxySettings(proxy: ProxyFields): Settings['proxy'] {
  if (proxy.mode === 'off') return proxy
  if (proxy.mode === 'system') return { mode: 'system' }
  const { user, userEnv, password, passwordEnv, ...settings } = proxy
  return settings
}

function holdsProxySecrets(proxy: ProxyFields | undefined): boolean {
  if (proxy === undefined || proxy.mode === 'off') return false
  return proxy.user !== undefined || proxy.password !== undefined
}

/** Undefined when the file has none, which keeps the current credentials. */
function getProxyCredentials(
  proxy: ProxyFields | undefined,
  env: Environment,
): Result<Provisioning['proxyCredentials'], InputIssue[]> {
  if (proxy === undefined || proxy.mode === 'off') return ok(undefined)
  const credentialsFor = proxy.mode === 'system' ? proxy.credentialsFor : undefined
  const given = [proxy.user, proxy.userEnv, proxy.password, proxy.passwordEnv, credentialsFor]
  if (given.every((part) => part === undefined)) return ok(undefined)
  const user = readCredential('user', proxy.user, proxy.userEnv, env)
  const password = readCredential('password', proxy.password, proxy.passwordEnv, env)
  const place = proxy.mode === 'system' ? credentialsFor : `${proxy.host.toLowerCase()}:${proxy.port}`
  const issues = [user, password].flatMap((part) => (part.ok ? [] : [part.error]))
  if (place === undefined) {
    const problem = 'is missing: name the proxy (host:port) that the user name and password are for'
    issues.push({ path: 'proxy.credentialsFor', problem })
  }
  if (!user.ok || !password.ok || place === undefined) return err(issues)
  const credentials = proxyCredentialsSchema.safeParse({ user: user.value, password: password.value })
  if (credentials.success) return ok({ place, credentials: credentials.data })
  return err([{ path: 'proxy.userEnv', problem: 'must be a user name without a colon, and a password' }])
}

/** A value that the file contains directly or through an environment variable. */
function readCredential(
  key: 'user' | 'password',
  value: string | undefined,
  variable: string | undefined,
  env: Environment,
): Result<string, InputIssue> {
  if (value !== undefined && variable !== undefined) return err(toDuplicateIssue('proxy', key))
  if (value !== undefined) return ok(value)
  return variable === undefined
    ? err(toMissingIssue('proxy', key))
    : readVariable('proxy', key, variable, env)
}

/** An error without issues means that the schema has already reported them. */
function getAccount(
  account: GivenAccount,
  env: Environment,
): Result<NonNullable<Provisioning['account']>, InputIssue[]> {
  const { baseUrl, allowWeakStorage } = account.fields
  const user = credential('user', 'userEnv', account, env)
  const password = credential('password', 'passwordEnv', account, env)
  const url = baseUrl === undefined ? undefined : parseBaseUrl(baseUrl)
  const issues: InputIssue[] = []
  if (url?.ok === false) issues.push({ path: 'account.baseUrl', problem: url.error.message })
  if (!user.ok) issues.push(...user.error)
  if (!password.ok) issues.push(...password.error)
  if (!user.ok || !password.ok || baseUrl === undefined || issues.length > 0) return err(issues)
  return ok({
    baseUrl,
    user: user.value,
    password: password.value,
    allowWeakStorage: allowWeakStorage ?? false,
  })
}

function credential(
  key: 'user' | 'password',
  envKey: 'userEnv' | 'passwordEnv',
  { keys, fields }: GivenAccount,
  env: Environment,
): Result<string, InputIssue[]> {
  const { [key]: value, [envKey]: variable } = fields
  if (keys.has(key) && keys.has(envKey)) return err([toDuplicateIssue('account', key)])
  if (!keys.has(key) && !keys.has(envKey)) return err([toMissingIssue('account', key)])
  if (value !== undefined) return ok(value)
  if (variable === undefined) return err([])
  const found = readVariable('account', key, variable, env)
  if (!found.ok) return err([found.error])
  if (!/[\r\n]/.test(found.value)) return found
  const problem = `the environment variable ${variable} holds a line break, which can’t be sent; set it without`
  return err([{ path: `account.${envKey}`, problem }])
}
