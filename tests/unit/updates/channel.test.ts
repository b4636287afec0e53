import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  type Channel,
  chooseFile,
  isNewer,
  readChannel,
  toRolloutPlace,
} from '../../../src/main/updates/channel'
import { mayUpdateNow } from '../../../src/main/updates/createUpdates'
import { updateSettingsSchema } from '../../../src/shared/updates'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')

const file = {
  target: 'linux-x64-AppImage',
  name: 'Packbench-0.2.0.AppImage',
  bytes: 3,
  sha512: 'a'.repeat(128),
}
const content: Channel = {
  ...{ product: 'packbench', channel: 'stable', version: '0.2.0', rollout: 100 },
  signedAt: '2026-11-20T12:00:00.000Z',
  files: [file],
}

const wanted = {
  publicKey: spki,
  channel: 'stable',
  newest: undefined,
  now: new Date('2026-11-22T12:00:00Z'),
}

function toFile(text: string, key = privateKey): string {
  return JSON.stringify({ text, signature: sign(null, Buffer.from(text), key).toString('base64') })
}

describe('readChannel', () => {
  it('accepts a channel signed with the key', () => {
    const read = readChannel(toFile(JSON.stringify(content)), wanted)
    expect(read).toEqual({ ok: true, value: content })
  })

  it.each([
    ['signature', toFile(JSON.stringify(content), generateKeyPairSync('ed25519').privateKey)],
    ['signature', toFile(JSON.stringify(content)).replace('0.2.0', '9.9.9')],
    ['unreadable', toFile('no JSON')],
    ['unreadable', toFile(JSON.stringify({ ...content, product: 'another' }))],
    ['unreadable', toFile(JSON.stringify({ ...content, files: [{ ...file, name: '../packbench' }] }))],
    ['unreadable', toFile(JSON.stringify({ ...content, version: 'newest' }))],
    ['unreadable', JSON.stringify(content)],
    ['unreadable', ''],
    ['other-channel', toFile(JSON.stringify({ ...content, channel: 'beta' }))],
  ])('refuses a channel with a wrong signature, content or name: %s (#%#)', (error, text) => {
    expect(readChannel(text, wanted)).toEqual({ ok: false, error })
  })

  it('refuses a channel once a later signed one was read', () => {
    const file = toFile(JSON.stringify(content))
    expect(readChannel(file, { ...wanted, newest: '2026-11-20T12:00:00.001Z' })).toEqual({
      ok: false,
      error: 'older',
    })
    expect(readChannel(file, { ...wanted, newest: content.signedAt }).ok).toBe(true)
  })

  it('refuses a channel signed more than a day ahead of the clock, and ignores such a time as the newest', () => {
    const signedAt = (time: string) => toFile(JSON.stringify({ ...content, signedAt: time }))
    expect(readChannel(signedAt('2026-11-23T12:00:00.001Z'), wanted)).toEqual({ ok: false, error: 'future' })
    expect(readChannel(signedAt('2026-11-23T12:00:00.000Z'), wanted).ok).toBe(true)
    // An earlier version of Packbench stored this time.
    const newest = '2027-11-22T12:00:00.000Z'
    expect(readChannel(signedAt('2026-11-22T11:00:00.000Z'), { ...wanted, newest }).ok).toBe(true)
    expect(readChannel(signedAt(newest), { ...wanted, newest })).toEqual({ ok: false, error: 'future' })
  })

  it('refuses a channel that has expired', () => {
    const file = toFile(JSON.stringify({ ...content, expiresAt: '2026-11-22T12:00:00.000Z' }))
    expect(readChannel(file, wanted)).toEqual({ ok: false, error: 'expired' })
    expect(readChannel(file, { ...wanted, now: new Date('2026-11-22T11:59:59Z') }).ok).toBe(true)
  })
})

describe('the choice of an update for a station', () => {
  const station = { version: '0.1.0', target: 'linux-x64-AppImage', station: 'bench-1' }

  it('is a newer version for its own kind of installation', () => {
    expect(chooseFile(content, station)).toEqual(file)
    expect(chooseFile(content, { ...station, version: '0.2.0' })).toBeUndefined()
    expect(chooseFile(content, { ...station, version: '0.10.0' })).toBeUndefined()
    expect(chooseFile(content, { ...station, target: 'linux-x64-deb' })).toBeUndefined()
  })

  it('compares versions by number', () => {
    expect(isNewer('0.10.0', '0.9.9')).toBe(true)
    expect(isNewer('1.0.0', '0.99.99')).toBe(true)
    expect(isNewer('0.1.0', '0.1.0')).toBe(false)
    expect(isNewer('0.1.9', '0.2.0')).toBe(false)
  })

  it('reaches the given share of the stations, adds stations as the share grows, and reaches none at 0 %', () => {
    const stations = Array.from({ length: 2000 }, (_, index) => `bench-${index}`)
    const having = (rollout: number) =>
      stations.filter((name) => chooseFile({ ...content, rollout }, { ...station, station: name }))
    expect(having(0)).toEqual([])
    expect(having(100)).toHaveLength(2000)
    const quarter = having(25)
    expect(quarter.length).toBeGreaterThan(400)
    expect(quarter.length).toBeLessThan(600)
    // A station that gets it at 25 % also gets it at 50 %; the next version starts with other stations.
    const half = new Set(having(50))
    expect(quarter.every((name) => half.has(name))).toBe(true)
    expect(toRolloutPlace('bench-1', '0.2.0')).not.toBe(toRolloutPlace('bench-1', '0.3.0'))
  })
})

describe('the installation of an update', () => {
  const nothing = { creating: 0, printing: 0, unknown: 0, isBatchRunning: false, areLabelsInMemory: false }

  it('is allowed while no work is open', () => {
    expect(mayUpdateNow(nothing)).toBeNull()
  })

  it.each([
    [{ creating: 1 }, 'shipping'],
    [{ printing: 1 }, 'printing'],
    [{ unknown: 1 }, 'unknown'],
    [{ isBatchRunning: true }, 'batch'],
    [{ areLabelsInMemory: true }, 'labels'],
    [{ creating: 1, unknown: 3 }, 'shipping'],
  ] as const)('waits for open work: %j (reason: %s)', (open, hold) => {
    expect(mayUpdateNow({ ...nothing, ...open })).toBe(hold)
  })
})

describe('the address of updates', () => {
  it.each(['https://updates.example/packbench', 'https://updates.example:8443/', 'http://127.0.0.1:8080/x'])(
    'may be %s',
    (url) => {
      expect(updateSettingsSchema.safeParse({ url, channel: 'stable' }).success).toBe(true)
    },
  )

  it.each([
    'http://updates.example/',
    'https://user:secret@updates.example/',
    'https://updates.example/?a=b',
    'file:///tmp',
    'updates.example',
  ])('may not be %s', (url) => {
    expect(updateSettingsSchema.safeParse({ url, channel: 'stable' }).success).toBe(false)
  })
})
