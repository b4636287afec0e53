import { describe, expect, it } from 'vitest'
import type { SenderProfile } from '../../../src/shared/customs'
import { appError } from '../../../src/shared/errors'
import { err, ok } from '../../../src/shared/result'
import { createFakeBridge } from '../../support/fakeBridge'
import { openWindow } from './openWindow'

/** Stores beside a list of stored senders. */
function makeStores() {
  const fake = createFakeBridge()
  const { bridge } = fake
  const stored = new Map<string, SenderProfile>()
  bridge.listSenderProfiles = async () => ok([...stored.values()])
  bridge.saveSenderProfile = async (profile) => {
    stored.set(profile.id, profile)
    return ok(profile)
  }
  bridge.removeSenderProfile = async ({ id }) => {
    stored.delete(id)
    return ok(undefined)
  }
  const { senders, customs } = openWindow(fake)
  return { bridge, senders, customs, stored }
}

/** Stores with one stored sender. */
async function withSender() {
  const stores = makeStores()
  stores.senders.getState().add()
  const { added } = stores.senders.getState()
  if (added === null) throw new Error('There was to be a new sender.')
  const profile = { ...added, name: 'Warehouse', party: { ...added.party, companyName: 'Packers BV' } }
  await stores.senders.getState().save(profile)
  return { ...stores, profile }
}

describe('a sender', () => {
  it('is added, and its form goes when it is stored', async () => {
    const { senders, customs, profile } = await withSender()
    expect(senders.getState()).toMatchObject({ added: null, forms: {} })
    expect(customs.getState().profiles).toEqual([profile])
  })

  it('without a name is not stored, and the field is told', async () => {
    const { senders, stored } = makeStores()
    senders.getState().add()
    const { added } = senders.getState()
    if (added === null) throw new Error('There was to be a new sender.')
    await senders.getState().save(added)
    expect(stored.size).toBe(0)
    expect(senders.getState().forms[added.id]?.issues).toHaveProperty('name')
  })

  it('keeps what was typed and is not saved', async () => {
    const { senders, customs, profile } = await withSender()
    senders.getState().edit({ ...profile, name: 'Other' })
    await customs.getState().loadProfiles()
    expect(senders.getState().forms[profile.id]?.profile.name).toBe('Other')
    expect(customs.getState().profiles[0]?.name).toBe('Warehouse')
  })

  it('that can’t be stored keeps what was typed beside the reason', async () => {
    const { bridge, senders, profile } = await withSender()
    bridge.saveSenderProfile = async () => err(appError('internal'))
    await senders.getState().save({ ...profile, name: 'Other' })
    expect(senders.getState().forms[profile.id]).toMatchObject({
      profile: { name: 'Other' },
      error: { code: 'internal' },
    })
  })

  it('that was removed is brought back as it was stored', async () => {
    const { senders, customs, profile } = await withSender()
    senders.getState().edit({ ...profile, name: 'Half typ' })
    await senders.getState().remove(profile)
    expect(customs.getState().profiles).toEqual([])
    await senders.getState().bringBack()
    expect(customs.getState().profiles).toEqual([profile])
    expect(senders.getState().removed).toBeNull()
  })

  it('that was never stored is put aside without asking main', async () => {
    const { bridge, senders } = makeStores()
    bridge.removeSenderProfile = () => Promise.reject(new Error('Nobody was to be asked.'))
    senders.getState().add()
    const { added } = senders.getState()
    if (added === null) throw new Error('There was to be a new sender.')
    await senders.getState().remove(added)
    expect(senders.getState()).toMatchObject({ added: null, removed: null })
  })
})
