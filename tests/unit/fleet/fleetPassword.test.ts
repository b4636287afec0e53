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
  it('is stored encrypted and passed to the redactor when it is read', () => {
    const { file, secrets, open } = setUp()
    expect(open().keep(settings, 'fleet-7-secret').ok).toBe(true)
    expect(JSON.stringify(file.read())).not.toContain('fleet-7-secret')
    secrets.length = 0
    expect(open().find(settings)).toBe('fleet-7-secret')
    expect(secrets).toEqual(['fleet-7-secret'])
  })

  it('is returned only for the same user, host and port', () => {
    const { open } = setUp()
    open().keep(settings, 'fleet-7-secret')
    const password = open()
    for (const change of [{ host: 'evil.example' }, { port: 5433 }, { user: 'postgres' }]) {
      expect(password.find({ ...settings, ...change })).toBeNull()
    }
    expect(password.find({ ...settings, station: 'Bench 2', database: 'other' })).toBe('fleet-7-secret')
  })

  it('stays in memory while encryption is unavailable, and is stored once it is available', () => {
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

  it('is removed from the disk when encryption becomes unavailable, unless it cannot be decrypted', () => {
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

  it('is removed when null is stored', () => {
    const { open } = setUp()
    open().keep(settings, 'fleet-7-secret')
    open().keep(settings, null)
    expect(open().find(settings)).toBeNull()
  })
})
