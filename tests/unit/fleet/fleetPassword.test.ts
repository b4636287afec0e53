import { describe, expect, it } from 'vitest'
import { FleetPassword } from '../../../src/main/fleet/fleetPassword'
import { fleetSettingsSchema } from '../../../src/shared/fleet'
import { MemoryJsonFile } from '../settings/memoryJsonFile'

const settings = fleetSettingsSchema.parse({
  ...{ host: 'db.example', database: 'packbench', user: 'packbench', station: 'Bench 1' },
})

function setUp(canEncrypt = true) {
  const file = new MemoryJsonFile(undefined, '/data/fleet.json')
  const secrets: string[] = []
  const reverse = (text: string) => Buffer.from(text).reverse().toString('base64')
  const vault = {
    canEncrypt,
    canDecrypt: true,
    encrypt: (text: string) => (vault.canEncrypt ? reverse(text) : null),
    decrypt: (text: string) => (vault.canDecrypt ? Buffer.from(text, 'base64').reverse().toString() : null),
  }
  const redactor = { add: (secret: string) => void secrets.push(secret) }
  const open = () => new FleetPassword({ file, vault, redactor })
  return { file, vault, secrets, open }
}

describe('the password of the fleet’s database', () => {
  it('is kept encrypted, and known to the redactor before it is used', () => {
    const { file, secrets, open } = setUp()
    expect(open().keep(settings, 'fleet-7-secret').ok).toBe(true)
    expect(JSON.stringify(file.read())).not.toContain('fleet-7-secret')
    secrets.length = 0
    expect(open().find(settings)).toBe('fleet-7-secret')
    expect(secrets).toEqual(['fleet-7-secret'])
  })

  it('belongs to one user at one server', () => {
    const { open } = setUp()
    open().keep(settings, 'fleet-7-secret')
    const password = open()
    for (const change of [{ host: 'evil.example' }, { port: 5433 }, { user: 'postgres' }]) {
      expect(password.find({ ...settings, ...change })).toBeNull()
    }
    expect(password.find({ ...settings, station: 'Bench 2', database: 'other' })).toBe('fleet-7-secret')
  })

  it('is in memory alone where nothing can be encrypted, and goes to the disk when it can', () => {
    const { file, vault, open } = setUp(false)
    const password = open()
    password.keep(settings, 'fleet-7-secret')
    expect(file.read()).toBeUndefined()
    expect(password.find(settings)).toBe('fleet-7-secret')
    expect(open().find(settings)).toBeNull()
    vault.canEncrypt = true
    password.followStorage()
    expect(open().find(settings)).toBe('fleet-7-secret')
    vault.canEncrypt = false
    password.followStorage()
    expect(JSON.stringify(file.read())).toBe('{}')
  })

  it('goes off the disk by a rule of the start, also before it was used, unless it can not be read', () => {
    const { file, vault, open } = setUp()
    open().keep(settings, 'fleet-7-secret')
    vault.canEncrypt = false
    vault.canDecrypt = false
    open().followStorage()
    expect(JSON.stringify(file.read())).toContain('packbench@db.example')
    vault.canDecrypt = true
    const password = open()
    password.followStorage()
    expect(JSON.stringify(file.read())).toBe('{}')
    expect(password.find(settings)).toBe('fleet-7-secret')
  })

  it('is taken away', () => {
    const { open } = setUp()
    open().keep(settings, 'fleet-7-secret')
    open().keep(settings, null)
    expect(open().find(settings)).toBeNull()
  })
})
