import { describe, expect, it } from 'vitest'
import { toPasswordServer } from '../../../src/main/fleet/membership'
import { StoredSecret } from '../../../src/main/lib/storedSecret'
import { fleetSettingsSchema } from '../../../src/shared/fleet'
import { MemoryJsonFile } from '../settings/memoryJsonFile'

const settings = fleetSettingsSchema.parse({
  ...{ host: 'db.example', database: 'packbench', user: 'packbench', station: 'Bench 1' },
})
const server = toPasswordServer(settings)

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
  const protect = (secret: string) => void secrets.push(secret)
  const open = () => new StoredSecret({ file, vault, memory: { held: null }, protect })
  return { file, vault, secrets, open }
}

describe('the password of the fleet’s database', () => {
  it('is stored encrypted and passed to the redactor when it is read', () => {
    const { file, secrets, open } = setUp()
    expect(open().keep(server, 'fleet-7-secret').ok).toBe(true)
    expect(JSON.stringify(file.read())).not.toContain('fleet-7-secret')
    secrets.length = 0
    expect(open().find(server)).toBe('fleet-7-secret')
    expect(secrets).toEqual(['fleet-7-secret'])
  })

  it('is returned only for the same user, host and port', () => {
    const { open } = setUp()
    open().keep(server, 'fleet-7-secret')
    const password = open()
    for (const change of [{ host: 'evil.example' }, { port: 5433 }, { user: 'postgres' }]) {
      expect(password.find(toPasswordServer({ ...settings, ...change }))).toBeNull()
    }
    const elsewhere = toPasswordServer({ ...settings, station: 'Bench 2', database: 'other' })
    expect(password.find(elsewhere)).toBe('fleet-7-secret')
  })

  it('stays in memory while encryption is unavailable, and is stored once it is available', () => {
    const { file, vault, open } = setUp(false)
    const password = open()
    password.keep(server, 'fleet-7-secret')
    expect(file.read()).toBeUndefined()
    expect(password.find(server)).toBe('fleet-7-secret')
    expect(open().find(server)).toBeNull()
    vault.canEncrypt = true
    password.followStorage()
    expect(open().find(server)).toBe('fleet-7-secret')
    vault.canEncrypt = false
    password.followStorage()
    expect(file.content).toEqual({})
  })

  it('is removed from the disk when encryption becomes unavailable, unless it cannot be decrypted', () => {
    const { file, vault, open } = setUp()
    open().keep(server, 'fleet-7-secret')
    vault.canEncrypt = false
    vault.canDecrypt = false
    open().followStorage()
    expect(JSON.stringify(file.read())).toContain('packbench@db.example')
    vault.canDecrypt = true
    const password = open()
    password.followStorage()
    expect(file.content).toEqual({})
    expect(password.find(server)).toBe('fleet-7-secret')
  })

  it('is removed when null is stored', () => {
    const { open } = setUp()
    open().keep(server, 'fleet-7-secret')
    open().keep(server, null)
    expect(open().find(server)).toBeNull()
  })
})
