import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { registerMethods } from '../../../src/main/ipc/registrar'
import type { MethodName } from '../../../src/shared/bridge'
import { toChannel } from '../../../src/shared/channels'
import { wholeHistory } from '../../../src/shared/history'
import { defaultPeopleSettings, type PeopleSettings } from '../../../src/shared/people'
import { demoAccount } from '../../../src/simulator/demo'
import { aDraft } from '../../support/drafts'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, stationOn, testSimulator } from '../../support/testStation'

const people: PeopleSettings = {
  ...defaultPeopleSettings,
  operators: [{ name: 'Ann', badge: 'B-001' }, { name: 'Bob' }],
}

/** A station with a PIN, called through the methods of its bridge. */
async function guardedStation(change: Partial<PeopleSettings> = {}) {
  const folder = await temporaryFolder()
  const simulator = await testSimulator()
  const { station, features } = await connectedStation(folder, simulator, {
    people: { ...people, ...change },
  })
  await features.people.setPin('4711')
  const listeners = new Map<string, (event: undefined, input: unknown) => Promise<unknown>>()
  registerMethods<undefined>({
    ipc: { handle: (channel, listener) => void listeners.set(channel, listener) },
    appHandlers: {},
    services: station.services,
    isTrusted: () => true,
    redact: (text) => text,
    log: silentLog,
  })
  const call = async (method: MethodName, input?: unknown) =>
    listeners.get(toChannel(method))?.(undefined, input)
  return { call, features, folder, simulator, station }
}

const refused = { ok: false, error: { code: 'pin-required' } }
const uuid = '6f1c1f0e-3f0a-4f57-9a53-0d3d6a1b2c3d'

const nobody = { companyName: '', name: '', street: '', houseNumber: '', postalCode: '', city: '' }
const senderProfile = {
  id: uuid,
  name: 'Shop',
  party: { ...nobody, country: 'NL', email: '', phoneNumber: '', type: 'Y', vatNumber: '', eoriNumber: '' },
}
const elsewhere = { jobId: uuid, page: 1, printerId: 'file' }

describe('a call protected by the PIN', () => {
  it.each([
    ['changeSettings', { language: 'nl' }],
    ['changeSettings', {}],
    ['changeSettings', { people: { ...people, guards: [] } }],
    ['forgetAllConsignees', undefined],
    ['forgetAccount', undefined],
    ['resolveShipment', { shipmentId: uuid, verdict: 'does-not-exist' }],
    ['resolveSubmission', { manifestId: uuid, submissionId: uuid, verdict: 'refused' }],
    ['uploadManifest', { manifestId: uuid, lockNumber: '123-45678901' }],
    ['allowZplCommands', { jobId: uuid }],
    ['chooseStock', { jobId: uuid, paper: 'A6' }],
    ['printDespiteLosses', { jobId: uuid, remember: true }],
    ['printPageElsewhere', { ...elsewhere, remember: true }],
    ['saveSenderProfile', senderProfile],
    ['removeSenderProfile', { id: uuid }],
    ['removeProduct', { code: 'A-1' }],
    ['importProducts', { fileName: 'products.csv', bytes: new ArrayBuffer(1) }],
    ['forgetConsignee', { id: 'key' }],
    ['openOrderFolder', { issueId: uuid }],
    ['setPin', { pin: null }],
    ['setPin', { pin: '0000' }],
  ] as const)('is refused without the PIN: %s %j', async (method, input) => {
    const { call, features } = await guardedStation()
    const before = features.settings.current()
    expect(await call(method, input)).toMatchObject(refused)
    expect(features.settings.current()).toEqual(before)
    expect(features.session.status().state).toBe('connected')
    expect(features.people.status().hasPin).toBe(true)
  })

  it('is refused without the PIN when it connects another account', async () => {
    const { call, simulator } = await guardedStation()
    expect(await call('connectAccount', demoAccount(simulator.baseUrl))).toMatchObject(refused)
  })

  it('is permitted after the correct PIN, and refused again when another operator signs in', async () => {
    const { call } = await guardedStation()
    expect(await call('enterPin', { pin: '0815' })).toMatchObject({ error: { code: 'pin-wrong' } })
    expect(await call('changeSettings', { language: 'nl' })).toMatchObject(refused)
    expect(await call('enterPin', { pin: '4711' })).toMatchObject({ value: { isGranted: true } })
    expect(await call('changeSettings', { language: 'nl' })).toMatchObject({ ok: true })
    await call('signIn', { name: 'Bob' })
    expect(await call('changeSettings', { language: 'en' })).toMatchObject(refused)
  })

  it('needs no PIN for settings that are not guarded, except for the people settings', async () => {
    const { call } = await guardedStation({ guards: ['account'] })
    expect(await call('changeSettings', { language: 'nl' })).toMatchObject({ ok: true })
    expect(await call('changeSettings', { people })).toMatchObject(refused)
    expect(await call('changeSettings', { language: 'en', people })).toMatchObject(refused)
  })

  it('needs no PIN when a print decision is not remembered', async () => {
    const { call } = await guardedStation()
    expect(await call('printDespiteLosses', { jobId: uuid, remember: false })).not.toMatchObject(refused)
    expect(await call('printPageElsewhere', { ...elsewhere, remember: false })).not.toMatchObject(refused)
  })

  it('needs no PIN when it saves a history view, unless other settings change with it', async () => {
    const { call, features } = await guardedStation()
    const { from: _from, to: _to, ...filter } = wholeHistory
    const historyViews = [{ name: 'Today', period: 'today', filter }]
    expect(await call('changeSettings', { historyViews, language: 'nl' })).toMatchObject(refused)
    expect(await call('changeSettings', { historyViews })).toMatchObject({ ok: true })
    expect(features.settings.current()).toMatchObject({ language: 'en', historyViews: [{ name: 'Today' }] })
  })

  it('needs no PIN when it uploads a manifest without a lock', async () => {
    const { call } = await guardedStation()
    expect(await call('uploadManifest', { manifestId: uuid })).not.toMatchObject(refused)
  })

  it('stays refused when the PIN file is deleted, until a new PIN is set', async () => {
    const { features, folder, station } = await guardedStation()
    expect(features.people.permit('forgetAccount', undefined)).toMatchObject(refused)
    const restart = async (before: { stop(): Promise<void> }) => {
      await before.stop()
      await rm(join(folder, 'pin.json'))
      const next = await stationOn(folder)
      const started = await next.start()
      if (!started.ok) throw new Error(started.error.message)
      return { next, people: started.value.people }
    }
    const closed = await restart(station)
    expect(closed.people.status().hasPin).toBe(true)
    expect(closed.people.permit('forgetAccount', undefined)).toMatchObject(refused)
    expect(await closed.people.enterPin('4711')).toMatchObject({ error: { code: 'pin-unusable' } })
    expect(await closed.people.setPin('1234')).toMatchObject({ ok: true })
    expect(await closed.people.enterPin('1234')).toMatchObject({ ok: true })
    expect(await closed.people.setPin(null)).toMatchObject({ ok: true })
    expect((await restart(closed.next)).people.status().hasPin).toBe(false)
  })

  it('returns neither the PIN nor its hash, and the log does not contain the PIN', async () => {
    const { call, folder } = await guardedStation()
    const file = await readFile(join(folder, 'pin.json'), 'utf8')
    const { hash }: { hash: string } = JSON.parse(file)
    const answers = [
      await call('enterPin', { pin: '4711' }),
      await call('getPeople'),
      await call('getSettings'),
    ]
    expect(JSON.stringify(answers)).not.toContain(hash)
    expect(JSON.stringify(answers)).not.toContain('4711')
    expect(await readFile(join(folder, 'logs', 'packbench.log'), 'utf8')).not.toMatch(/4711/)
  })
})

describe('an operator', () => {
  it('must be signed in before a creation when sign-in is required', async () => {
    const { call } = await guardedStation({ isRequired: true })
    const ship = () => call('createShipment', { attemptId: uuid, draft: aDraft() })
    expect(await ship()).toMatchObject({ error: { code: 'operator-required' } })
    expect(await call('signIn', { badge: 'B-999' })).toMatchObject({ error: { code: 'operator-unknown' } })
    expect(await call('signIn', { badge: 'B-001' })).toMatchObject({ value: { operator: 'Ann' } })
    expect(await ship()).toMatchObject({ value: { state: 'created', operator: 'Ann' } })
  })

  it('cannot be set by a call from the window', async () => {
    const { call } = await guardedStation()
    const draft = aDraft()
    const forged = await call('createShipment', { attemptId: uuid, draft, operator: 'Ann' })
    expect(forged).toMatchObject({ error: { code: 'invalid-input' } })
    const shipped = await call('createShipment', { attemptId: uuid, draft })
    expect(shipped).toMatchObject({ ok: true })
    expect(shipped).not.toHaveProperty('value.operator')
  })

  it('is recorded on a reprint, while the first print keeps the operator who shipped', async () => {
    const { call, features } = await guardedStation()
    await call('signIn', { name: 'Ann' })
    await call('createShipment', { attemptId: uuid, draft: aDraft() })
    const [shipment] = (await features.history.search({ ...wholeHistory, limit: 1, before: null })).shipments
    await features.printing.whenJobsEnded(shipment?.id ?? '')
    await call('signIn', { name: 'Bob' })
    expect(await call('reprint', { shipmentId: shipment?.id })).toMatchObject({
      value: [{ operator: 'Bob' }],
    })
    expect(shipment?.jobs).toMatchObject([{ operator: 'Ann' }])
  })

  it('is signed out when removed from the list of operators', async () => {
    const { features } = await guardedStation()
    features.people.signIn({ name: 'Bob' })
    features.settings.change({ people: { ...people, operators: [{ name: 'Ann' }] } })
    expect(features.people.status().operator).toBeNull()
  })
})
