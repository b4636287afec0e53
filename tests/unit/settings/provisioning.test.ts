import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseProvisioning, readProvisioning } from '../../../src/main/settings/provisioning'
import { provisioningJsonSchema } from '../../../src/main/settings/provisioningSchema'
import { defaultSettings, type Settings } from '../../../src/shared/settings'

const env = { STATION_USER: 'operator', STATION_PASSWORD: 'hunter2', EMPTY: '' }

const complete = {
  account: {
    baseUrl: 'https://carrier.example/api',
    userEnv: 'STATION_USER',
    passwordEnv: 'STATION_PASSWORD',
    allowWeakStorage: true,
  },
  carriers: [{ name: 'PostNL parcel', carrierId: 12, carrierOptionId: 34 }],
  shipmentDefaults: { created_by: 'station-1', weight: 1.0, country: 'NL', number_of_packages: 1 },
  printers: [
    {
      id: 'zebra',
      driver: 'socket',
      host: '192.0.2.10',
      port: 9100,
      dpi: 203,
      stock: { widthMm: 100, heightMm: 150 },
      rotate: 0,
      offsetMm: { x: 0, y: 0 },
      darkness: 15,
    },
    { id: 'cups', driver: 'system', queue: 'LABEL', stock: { widthMm: 100, heightMm: 150 } },
    { id: 'file', driver: 'folder', path: 'labels' },
  ],
  routing: [{ carrierOptionId: 34, printer: 'zebra', standby: 'cups' }, { printer: 'cups' }],
  hotFolder: { path: 'exchange', print: true },
  manifestLockAgreed: false,
  language: 'en',
  retentionDays: 90,
}

function accepted(file: unknown, current: Settings = defaultSettings) {
  const parsed = parseProvisioning(JSON.stringify(file), env, current)
  if (!parsed.ok) throw new Error(parsed.error.join('\n'))
  return parsed.value
}

function issues(file: unknown, current: Settings = defaultSettings): string[] {
  const parsed = parseProvisioning(JSON.stringify(file), env, current)
  return parsed.ok ? [] : parsed.error
}

const erp = { name: 'ERP', mapping: { weightUnit: 'g', fields: { reference: { columns: ['Nr'] } } } }

describe('a provisioning file', () => {
  it('is read with operators and a PIN, which does not become part of the settings', () => {
    const people = { operators: [{ name: 'Ann', badge: 'B-001' }], isRequired: true }
    const { settingsChange, pin, holdsSecrets } = accepted({ people: { ...people, pin: '4711' } })
    expect(settingsChange.people).toEqual({ ...defaultSettings.people, ...people })
    expect({ pin, holdsSecrets }).toEqual({ pin: '4711', holdsSecrets: true })
    expect(accepted({ people })).not.toHaveProperty('pin')
  })

  it('with a PIN alone changes the PIN and leaves operators and guards as they are', () => {
    const env = { STATION_PIN: '4711' }
    const parsed = parseProvisioning('{"people":{"pinEnv":"STATION_PIN"}}', env, defaultSettings)
    expect(parsed).toMatchObject({ ok: true, value: { settingsChange: {}, pin: '4711' } })
    expect(accepted({ people: { pin: '4711' } }).settingsChange).toEqual({})
    expect(accepted({ people: { pin: null } })).toEqual({
      settingsChange: {},
      pin: null,
      holdsSecrets: false,
    })
  })

  it('is refused for an invalid PIN, a PIN given twice, and operators with the same name or badge', () => {
    expect(issues({ people: { pinEnv: 'STATION_PASSWORD' } })).toEqual([
      'people.pinEnv: the environment variable STATION_PASSWORD does not hold 4 to 12 digits; set it',
    ])
    expect(issues({ people: { pinEnv: 'STATION_PIN', pin: '4711' } })).toEqual([
      'people.pin: is given twice; keep only one of pin and pinEnv',
    ])
    expect(issues({ people: { pin: '47' } })).toEqual(['people.pin: must be 4 to 12 digits in quotes'])
    const operators = [{ name: 'Ann', badge: 'B' }, { name: 'ann' }, { name: 'Bob', badge: 'B' }]
    expect(issues({ people: { operators } })).toEqual([
      'people.operators[1].name: is the same as that of people.operators[0]; give each operator their own',
      'people.operators[2].badge: is the same as that of people.operators[0]; give each operator their own',
    ])
  })

  it('is refused for badges that differ only by the badge prefix, which a scan does not tell apart', () => {
    const operators = [{ name: 'Anna', badge: '7' }, { name: 'Chris' }, { name: 'Bob', badge: 'op-7' }]
    const scanner = { ...defaultSettings.scanner, badgePrefix: 'OP-' }
    const problem =
      'people.operators[2].badge: differs from that of people.operators[0] only by the badgePrefix «OP-»; give each operator their own'
    expect(issues({ people: { operators }, scanner })).toEqual([problem])
    const people = { ...defaultSettings.people, operators }
    const parsed = parseProvisioning(JSON.stringify({ scanner }), {}, { ...defaultSettings, people })
    expect(parsed).toMatchObject({ ok: false, error: [expect.stringMatching(/^scanner: .*operators\[2\]/)] })
  })

  it('is read with the fleet, whose password does not become part of the settings', () => {
    const fleet = { host: 'db.example', database: 'packbench', user: 'packbench', station: 'Bench 3' }
    const given = accepted({ fleet: { ...fleet, passwordEnv: 'STATION_PASSWORD' } })
    expect(given.settingsChange.fleet).toEqual({
      ...{ ...fleet, port: 5432, tls: 'verify', whenUnreachable: 'hold' },
    })
    expect(given).toMatchObject({ fleetPassword: 'hunter2', holdsSecrets: false })
    expect(accepted({ fleet: { ...fleet, password: 'typed-1' } })).toMatchObject({ holdsSecrets: true })
    expect(accepted({ fleet: null }).settingsChange).toEqual({ fleet: null })
  })

  it('is read with the proxy, whose credentials do not become part of the settings, and with certificates', () => {
    const proxy = { mode: 'manual', host: 'Proxy.example', port: 3128, user: 'bench' }
    const given = accepted({ proxy: { ...proxy, passwordEnv: 'STATION_PASSWORD' } })
    expect(given.settingsChange.proxy).toEqual({
      ...{ mode: 'manual', host: 'Proxy.example', port: 3128, tls: false, exceptions: [], loopback: false },
    })
    expect(given).toMatchObject({
      proxyCredentials: {
        place: 'proxy.example:3128',
        credentials: { user: 'bench', password: 'hunter2' },
      },
      holdsSecrets: true,
    })
    const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'
    expect(accepted({ certificates: { pem } }).settingsChange).toEqual({
      certificates: { system: true, pem },
    })
    expect(issues({ certificates: { pem: `${pem}\n-----BEGIN PRIVATE KEY-----` } })).toEqual([
      'certificates.pem: must not contain a private key: remove it, certificates are enough',
    ])
  })

  it('can contain every part of the settings', () => {
    const { version: _version, allowWeakStorage: _ofAccount, ...parts } = defaultSettings
    expect(accepted(parts).settingsChange).toEqual(parts)
  })

  it('may leave out fields of network, customs and tracking, which then have their default values', () => {
    const { settingsChange } = accepted({
      network: { answerTimeoutMs: 90_000 },
      customs: { invoiceLanguage: 'nl' },
      tracking: { pollMinutes: 60 },
    })
    expect(settingsChange).toEqual({
      network: { ...defaultSettings.network, answerTimeoutMs: 90_000 },
      customs: { ...defaultSettings.customs, invoiceLanguage: 'nl' },
      tracking: { ...defaultSettings.tracking, pollMinutes: 60 },
    })
  })

  it('is refused for proxy credentials without the proxy’s name or without a password', () => {
    const credentials = { user: 'bench', passwordEnv: 'STATION_PASSWORD' }
    expect(issues({ proxy: { mode: 'system', ...credentials } })).toEqual([
      'proxy.credentialsFor: is missing: name the proxy (host:port) that the user name and password are for',
    ])
    expect(
      issues({ proxy: { mode: 'system', credentialsFor: 'proxy.example:3128', user: 'bench' } }),
    ).toEqual(['proxy.passwordEnv: is missing; add it, or password itself'])
  })

  it('is refused for an unencrypted fleet database on another computer, and for a password given twice or not set', () => {
    const fleet = { host: 'db.example', database: 'packbench', user: 'packbench', station: 'Bench 3' }
    expect(issues({ fleet: { ...fleet, tls: 'off' } })).toEqual([
      'fleet.tls: can be off only if the host is this computer itself; set it to verify',
    ])
    expect(issues({ fleet: { ...fleet, host: '127.0.0.1', tls: 'off' } })).toEqual([])
    expect(issues({ fleet: { ...fleet, password: 'typed-1', passwordEnv: 'STATION_PASSWORD' } })).toEqual([
      'fleet.password: is given twice; keep only one of password and passwordEnv',
    ])
    expect(issues({ fleet: { ...fleet, passwordEnv: 'EMPTY' } })).toEqual([
      'fleet.passwordEnv: the environment variable EMPTY is not set; set it',
    ])
  })

  it('is read with all its parts', () => {
    const { settingsChange, account, holdsSecrets } = accepted(complete)
    expect(account).toEqual({
      baseUrl: 'https://carrier.example/api',
      user: 'operator',
      password: 'hunter2',
      allowWeakStorage: true,
    })
    expect(holdsSecrets).toBe(false)
    expect(settingsChange).toMatchObject({
      carriers: complete.carriers,
      shipmentDefaults: { createdBy: 'station-1', weight: 1, country: 'NL', numberOfPackages: 1 },
      routing: complete.routing,
      hotFolder: { path: 'exchange', print: true },
      manifestLockAgreed: false,
      language: 'en',
      retentionDays: 90,
    })
    expect(settingsChange.printers).toEqual([
      { ...complete.printers[0], copies: 1 },
      { ...complete.printers[1], rotate: 0, copies: 1 },
      complete.printers[2],
    ])
  })

  it('is refused for a sheet whose labels extend past its edge', () => {
    const stock = { widthMm: 105, heightMm: 148 }
    const laser = { id: 'laser', driver: 'system', queue: 'LASER', stock, sheet: { columns: 3, rows: 2 } }
    expect(issues({ printers: [laser] })).toEqual([
      expect.stringMatching(/^printers\[0\]\.sheet\.columns: is more than fit on the sheet/),
    ])
  })

  it('changes no settings that it does not name', () => {
    expect(accepted({})).toEqual({ settingsChange: {}, holdsSecrets: false })
    expect(accepted({ language: 'nl' }).settingsChange).toEqual({ language: 'nl' })
    expect(accepted({ hotFolder: null }).settingsChange).toEqual({ hotFolder: null })
  })

  it('may name its schema and begin with a byte order mark', () => {
    const parsed = parseProvisioning('\uFEFF{"$schema": "provisioning.schema.json"}', env, defaultSettings)
    expect(parsed).toEqual({ ok: true, value: { settingsChange: {}, holdsSecrets: false } })
  })

  it('is refused when a key is given twice, of which only the last would count', () => {
    const text = '{\n  "printers": [],\n  "retentionDays": 30,\n  "printers": []\n}'
    expect(parseProvisioning(text, env, defaultSettings)).toEqual({
      ok: false,
      error: [expect.stringMatching(/line 4, column 3: .*"printers"/)],
    })
  })

  it('is marked as holding secrets when it contains them as values', () => {
    const { account, holdsSecrets } = accepted({
      account: { baseUrl: 'http://127.0.0.1:8080', user: 'operator', passwordEnv: 'STATION_PASSWORD' },
    })
    expect(holdsSecrets).toBe(true)
    expect(account).toMatchObject({ user: 'operator', password: 'hunter2', allowWeakStorage: false })
  })

  it.each([
    [{ printer: [] }, 'printer: is not known here; correct its name or remove it'],
    [
      { hotFolder: { path: 'x', watch: 1 } },
      'hotFolder.watch: is not known here; correct its name or remove it',
    ],
    [
      { shipmentDefaults: { createdBy: 'x' } },
      'shipmentDefaults.createdBy: is not known here; correct its name or remove it',
    ],
    [
      { shipmentDefaults: { reference: 'x' } },
      'shipmentDefaults.reference: is not known here; correct its name or remove it',
    ],
    [
      { shipmentDefaults: { country: 'Netherlands' } },
      'shipmentDefaults.country: must be a real two-letter country code in capitals, such as NL',
    ],
    [{ shipmentDefaults: { weight: '1' } }, 'shipmentDefaults.weight: must be a number without quotes'],
    [{ retentionDays: 0 }, 'retentionDays: must be at least 1'],
    [{ carriers: [{ name: '', carrierId: 1, carrierOptionId: 2 }] }, 'carriers[0].name: must not be empty'],
    [{ carriers: [{ carrierId: 1, carrierOptionId: 2 }] }, 'carriers[0].name: is missing; add it'],
    [[], 'The provisioning file must be an object in { }'],
    [
      {
        account: {
          baseUrl: 'http://carrier.example',
          userEnv: 'STATION_USER',
          passwordEnv: 'STATION_PASSWORD',
        },
      },
      'account.baseUrl: The service address can’t be used: http is allowed to this computer only; use https.',
    ],
    [
      { account: { baseUrl: 'https://carrier.example', userEnv: 'NOBODY', passwordEnv: 'STATION_PASSWORD' } },
      'account.userEnv: the environment variable NOBODY is not set; set it',
    ],
    [
      { account: { baseUrl: 'https://carrier.example', userEnv: 'STATION_USER', passwordEnv: 'EMPTY' } },
      'account.passwordEnv: the environment variable EMPTY is not set; set it',
    ],
    [
      { account: { baseUrl: 'https://carrier.example', user: 'x' } },
      'account.passwordEnv: is missing; add it, or password itself',
    ],
    [
      { account: { baseUrl: 'https://carrier.example', user: 'x', userEnv: 'STATION_USER', password: 'y' } },
      'account.user: is given twice; keep only one of user and userEnv',
    ],
    [
      { printers: [complete.printers[2], complete.printers[2]] },
      'printers[1].id: is the same as that of printers[0] («file»); give each printer its own id',
    ],
    [
      { hotFolder: { path: 'exchange', mapping: 'ERP' } },
      'hotFolder.mapping: names the mapping «ERP», which is not among importMappings; add that mapping or name another',
    ],
    [
      { importMappings: [erp, erp] },
      'importMappings[1].name: is the same as that of importMappings[0] («ERP»); give each mapping its own name',
    ],
    [
      {
        importMappings: [
          { name: 'ERP', mapping: { weightUnit: 'g', fields: { reference: { fixed: 'A' } } } },
        ],
      },
      'importMappings[0].mapping.fields.reference: must name the columns of `reference`',
    ],
    [
      { customs: { documentPrinter: 'laser' } },
      'customs.documentPrinter: names the printer «laser», which is not among the printers; add that printer or name another',
    ],
    [
      { routing: [{ printer: 'zebra' }] },
      'routing[0].printer: names the printer «zebra», which is not among the printers; add that printer or name another',
    ],
  ])('is refused with one line: %j', (file, line) => {
    expect(issues(file)).toEqual([line])
  })

  it('is checked together with the settings that it does not change', () => {
    const { printers = [], routing = [] } = accepted(complete).settingsChange
    const current = { ...defaultSettings, printers, routing }
    expect(accepted({ routing: [{ printer: 'file' }] }, current).settingsChange.routing).toHaveLength(1)
    expect(issues({ printers: [complete.printers[0]] }, current)).toEqual([
      expect.stringMatching(/^printers: the station's own routing\[0\]\.standby names the printer «cups»/),
      expect.stringMatching(/^printers: the station's own routing\[1\]\.printer names the printer «cups»/),
    ])
  })

  it('is told about a hot folder that meets the import folder of the station, by the key that the file contains', () => {
    const { orderImport } = accepted({ orderImport: { path: 'exchange' } }).settingsChange
    const current = { ...defaultSettings, ...(orderImport && { orderImport }) }
    expect(issues({ hotFolder: { path: 'exchange' } }, current)).toEqual([
      expect.stringMatching(
        /^hotFolder: the station's own orderImport\.path is the hot folder.*give orderImport/,
      ),
    ])
    expect(issues({ hotFolder: { path: 'exchange' }, orderImport: { path: 'exchange' } })).toEqual([
      expect.stringMatching(/^orderImport\.path: is the hot folder/),
    ])
  })

  it('is refused with all its issues at once', () => {
    const lines = issues({
      nonsense: 1,
      account: { baseUrl: 'ftp://x', userEnv: 'NOBODY', passwordEnv: 'STATION_PASSWORD' },
      language: 'fr',
      printers: [{ id: 'a', driver: 'socket' }],
      routing: [{ printer: 'b' }],
      customs: { documentPrinter: 'b' },
    })
    expect(lines.map((line) => line.split(':', 1)[0]).sort()).toEqual([
      'account.baseUrl',
      'account.userEnv',
      'language',
      'nonsense',
      'printers[0].host',
    ])
  })

  it('is refused with all issues of the account at once, including those that the schema can’t find', () => {
    expect(
      issues({
        account: {
          baseUrl: 'http://carrier.example',
          userEnv: 'NOBODY',
          password: 'hunter2',
          passwordEnv: 'not a name',
          allowWeakStorage: 'yes',
          tenant: 1,
        },
      }).map((line) => line.slice(0, line.indexOf(' ', line.indexOf(': ') + 2))),
    ).toEqual([
      'account.passwordEnv: must',
      'account.allowWeakStorage: must',
      'account.tenant: is',
      'account.baseUrl: The',
      'account.userEnv: the',
      'account.password: is',
    ])
    expect(issues({ account: { user: 5, passwordEnv: 'EMPTY' } })).toEqual([
      'account.baseUrl: is missing; add it',
      'account.user: must be text in quotes',
      'account.passwordEnv: the environment variable EMPTY is not set; set it',
    ])
  })

  it.each(['\n', '\r\n'])('is refused for a password whose environment variable ends with %j', (end) => {
    const text = JSON.stringify({ account: complete.account })
    expect(parseProvisioning(text, { ...env, STATION_PASSWORD: `hunter2${end}` }, defaultSettings)).toEqual({
      ok: false,
      error: [
        'account.passwordEnv: the environment variable STATION_PASSWORD holds a line break, which can’t be sent; set it without',
      ],
    })
  })

  it('never has a password quoted in an issue', () => {
    const secret = 'hunter2'
    const lines = [
      ...issues({ account: { baseUrl: 'x', user: 5, password: [secret] } }),
      ...issues({ account: { baseUrl: `https://u:${secret}@x`, user: secret, password: secret } }),
    ]
    const broken = parseProvisioning(`{"password": ${secret}}`, env, defaultSettings)
    expect(lines.length).toBeGreaterThan(2)
    expect([...lines, ...(broken.ok ? [] : broken.error)].join('\n')).not.toContain(secret)
  })
})

describe('reading a provisioning file from the disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'provisioning-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('accepts a complete file', async () => {
    const path = join(folder, 'station.json')
    writeFileSync(path, JSON.stringify(complete))
    expect(await readProvisioning(path, env, defaultSettings)).toMatchObject({ ok: true })
  })

  it.each([
    ['utf16le.json', '\uFEFF{}', 'utf16le' as const],
    ['utf16be.json', '\uFFFE\u7B00\u7D00', 'utf16le' as const],
  ])('says that %s is in UTF-16, also when its bytes were read as UTF-8', async (name, text, encoding) => {
    const path = join(folder, name)
    const bytes = Buffer.from(text, encoding)
    writeFileSync(path, bytes)
    const refused = { ok: false, error: ['The provisioning file is in UTF-16: save it in UTF-8.'] }
    expect(await readProvisioning(path, env, defaultSettings)).toEqual(refused)
    // As a station file is read.
    expect(parseProvisioning(bytes.toString('utf8'), env, defaultSettings)).toEqual(refused)
  })

  it.each([
    ['missing.json', undefined, 'ENOENT'],
    ['broken.json', '{\n  "language": "en",\n}', 'line 3, column 1'],
    ['empty.json', '', 'the text ends too early'],
  ])('reports one line for %s with the content %j', async (name, text, words) => {
    const path = join(folder, name)
    if (text !== undefined) writeFileSync(path, text)
    const read = await readProvisioning(path, env, defaultSettings)
    expect(read).toEqual({ ok: false, error: [expect.stringContaining(words)] })
  })
})

describe('the published schema of provisioning', () => {
  it('equals the schema of the code', async () => {
    const text = `${JSON.stringify(provisioningJsonSchema(), null, 2)}\n`
    await expect(text).toMatchFileSnapshot('../../../docs/provisioning.schema.json')
  })
})
