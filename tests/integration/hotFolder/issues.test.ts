import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { Services } from '../../../src/main/app/compose'
import { wholeHistory } from '../../../src/shared/history'
import type { OrderValues } from '../../../src/shared/orders'
import { defaultPeopleSettings } from '../../../src/shared/people'
import type { SettingsChange } from '../../../src/shared/settings'
import type { Simulator } from '../../../src/simulator/simulator'
import { aDraft } from '../../support/drafts'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, stationOn, testSimulator } from '../../support/testStation'
import { order } from './exchange'
import { resultSchema } from './orderResultSchema'

async function hotStation(simulator: Simulator, settings: SettingsChange = {}) {
  const data = await temporaryFolder()
  const exchange = await temporaryFolder()
  const { station, features } = await connectedStation(data, simulator, {
    shipmentDefaults: { carrierId: 1, carrierOptionId: 11, weight: 1, country: 'NL' },
    hotFolder: { path: exchange, print: true },
    ...settings,
  })
  await expect.poll(() => readdir(exchange)).toContain('in')
  return { data, exchange, station, features }
}

async function drop(exchange: string, name: string, content: unknown): Promise<void> {
  await writeFile(join(exchange, name), typeof content === 'string' ? content : JSON.stringify(content))
  await rename(join(exchange, name), join(exchange, 'in', name))
}

async function resultOf(exchange: string, place: 'done' | 'failed', name: string) {
  const path = join(exchange, place, `${name}.result.json`)
  await expect.poll(() => readFile(path, 'utf8').catch(() => undefined)).toBeDefined()
  return resultSchema.parse(JSON.parse(await readFile(path, 'utf8'))).results
}

async function openIssues({ hotFolder }: Pick<Services, 'hotFolder'>) {
  return (await hotFolder.issues.list(false)).issues
}

describe('the issue of a hot folder shipment that was not created', () => {
  it('cannot be sent again before an operator signs in when sign-in is required', async () => {
    const simulator = await testSimulator()
    const people = { ...defaultPeopleSettings, operators: [{ name: 'Ann' }], isRequired: true }
    const { exchange, features } = await hotStation(simulator, { people })
    const { city, ...without } = order('ORDER-1')
    await drop(exchange, 'one.json', [without])
    await resultOf(exchange, 'failed', 'one')
    const [issue] = await openIssues(features)
    const corrected = { issueId: issue?.id ?? '', values: { ...issue?.values, city: 'Bergen' } }
    const send = () => features.handlers.sendOrderAgain(corrected)
    expect(await send()).toMatchObject({ error: { code: 'operator-required' } })
    expect(await openIssues(features)).toHaveLength(1)
    expect(await readdir(join(exchange, 'in'))).toEqual([])
    features.people.signIn({ name: 'Ann' })
    expect(await send()).toMatchObject({ ok: true, value: { issues: [] } })
  })

  it.each([
    ['names a printer that is not text', { ...order('BAD'), printer: { toString: 1, valueOf: 1 } }],
    ['is one row of 18 MB', 'a'.repeat(18 * 1024 * 1024)],
    ['has 100,000 nested lists', `{"reference": "BAD", "x": ${'['.repeat(1e5)}${']'.repeat(1e5)}}`],
    ['has thousands of unknown fields', { ...order('BAD'), ...Array.from({ length: 5_000 }).fill(1) }],
  ])('is opened without delaying the next file when the file %s', async (_what, content) => {
    const simulator = await testSimulator()
    const { exchange, features } = await hotStation(simulator)
    await drop(
      exchange,
      typeof content === 'string' && content.startsWith('a') ? 'bad.csv' : 'bad.json',
      content,
    )
    await drop(exchange, 'good.json', order('GOOD'))
    expect(await resultOf(exchange, 'failed', 'bad')).toMatchObject([{ outcome: 'invalid' }])
    expect(await resultOf(exchange, 'done', 'good')).toMatchObject([{ outcome: 'created' }])
    const [issue] = await openIssues(features)
    expect(issue).toMatchObject({ kind: 'invalid' })
    expect(Object.keys(issue?.leftOut ?? {}).length).toBeLessThan(100)
  })

  it('has file, line and values, and is sent again once after its correction', async () => {
    const simulator = await testSimulator()
    const { exchange, features, station } = await hotStation(simulator)
    const { city, ...without } = order('ORDER-2', { signature_required: true, email: 'a@b.example' })
    await drop(exchange, 'two.json', [order('ORDER-1'), without])
    await resultOf(exchange, 'failed', 'two')
    const [issue, ...others] = await openIssues(features)
    expect(others).toEqual([])
    expect(issue).toMatchObject({
      kind: 'invalid',
      file: 'two.json',
      line: 2,
      reference: 'ORDER-2',
      error: { code: 'order-file-invalid' },
      values: { reference: 'ORDER-2', street: 'Dorpsstraat' },
      issues: [{ field: 'city', code: 'required' }],
    })
    expect((await station.status()).hotFolder.issues).toBe(1)
    const issueId = issue?.id ?? ''

    const refused = await features.handlers.sendOrderAgain({ issueId, values: issue?.values ?? {} })
    expect(refused).toMatchObject({ ok: true, value: { issues: [{ field: 'city' }], file: null } })
    const values = { ...issue?.values, city: String(city) }
    const sent = await features.handlers.sendOrderAgain({ issueId, values })
    expect(sent).toMatchObject({ ok: true, value: { issues: [], file: 'two.line-2.json' } })
    expect(await resultOf(exchange, 'done', 'two.line-2')).toMatchObject([
      { reference: 'ORDER-2', outcome: 'created' },
    ])
    expect(await openIssues(features)).toEqual([])
    expect((await features.hotFolder.issues.list(true)).issues).toMatchObject([
      { closed: { sentAs: 'two.line-2.json' } },
    ])
    const again = await features.handlers.sendOrderAgain({ issueId, values })
    expect(again).toMatchObject({ ok: false, error: { code: 'order-issue-not-open' } })
    const [details] = (
      await features.history.search({ ...wholeHistory, text: 'ORDER-2', limit: 1, before: null })
    ).shipments
    const shipment = await features.history.getDetails(details?.id ?? '')
    expect(shipment).toMatchObject({ value: { draft: { signatureRequired: true, email: 'a@b.example' } } })
    expect(simulator.ledger.countByReference().get('ORDER-2')).toBe(1)
  })

  it('is sent again with a weight that was typed with a decimal comma', async () => {
    const simulator = await testSimulator()
    const { exchange, features } = await hotStation(simulator)
    await drop(exchange, 'one.json', [order('ORDER-1', { weight: 0 })])
    await resultOf(exchange, 'failed', 'one')
    const [issue] = await openIssues(features)
    const values = { ...issue?.values, weight: '1,5' }
    const sent = await features.handlers.sendOrderAgain({ issueId: issue?.id ?? '', values })
    expect(sent).toMatchObject({ ok: true, value: { issues: [], file: 'one.line-1.json' } })
    expect(await resultOf(exchange, 'done', 'one.line-1')).toMatchObject([{ outcome: 'created' }])
  })

  it('stays open after a restart, and closes when its reference is shipped', async () => {
    const simulator = await testSimulator()
    const { data, exchange, features, station } = await hotStation(simulator)
    await drop(exchange, 'one.json', [order('ORDER-1', { weight: 0 }), { reference: 'ORDER-2' }])
    await resultOf(exchange, 'failed', 'one')
    expect(await openIssues(features)).toHaveLength(2)
    await station.stop()

    const restarted = await stationOn(data)
    const again = await restarted.start()
    if (!again.ok) throw new Error(again.error.message)
    expect((await openIssues(again.value)).map(({ reference }) => reference)).toEqual(['ORDER-2', 'ORDER-1'])
    await drop(exchange, 'corrected.json', order('ORDER-1'))
    await resultOf(exchange, 'done', 'corrected')
    await expect
      .poll(async () => (await openIssues(again.value)).map(({ reference }) => reference))
      .toEqual(['ORDER-2'])
  })

  it('closes when its reference is shipped in a combined parcel', async () => {
    const { exchange, features } = await hotStation(await testSimulator())
    await drop(exchange, 'one.json', [order('ORDER-1', { weight: 0 })])
    await resultOf(exchange, 'failed', 'one')
    const rows = ['ORDER-0', 'ORDER-1'].map((each) => `${each};Jansen;Dorpsstraat;1;3511 AB;Utrecht;NL`)
    const table = ['Order number;Last name;Street;House number;Postal code;City;Country', ...rows].join('\n')
    const plan = await features.orderImport.readFile('orders.csv', Buffer.from(table), false)
    if (!plan.ok) throw new Error(plan.error.message)
    await features.orderImport.import(plan.value.importId, plan.value.mapping, 'skip')
    const draft = aDraft({ reference: 'ORDER-0', combinedReferences: ['ORDER-1'] })
    const created = await features.handlers.createShipment({ attemptId: randomUUID(), draft })
    expect(created).toMatchObject({ ok: true, value: { state: 'created' } })
    await expect.poll(() => openIssues(features)).toEqual([])
  })

  it('of a table keeps the printer of its rule, and cannot be sent again while that printer is missing', async () => {
    const printers = [
      { driver: 'folder' as const, id: 'file', path: 'out' },
      { driver: 'folder' as const, id: 'second', path: 'second' },
    ]
    const fields = {
      reference: { columns: ['Order'] },
      lastName: { columns: ['Name'] },
      street: { columns: ['Street'] },
      city: { columns: ['City'] },
    }
    const { exchange, features } = await hotStation(await testSimulator(), {
      ...{ printers, routing: [{ printer: 'file' }] },
      importMappings: [{ name: 'ERP', mapping: { weightUnit: 'kg', fields } }],
      orderRules: [{ name: 'All', when: {}, set: { printer: 'second' } }],
    })
    features.settings.change({ hotFolder: { path: exchange, print: true, mapping: 'ERP' } })
    await features.hotFolder.follow(features.settings.current().hotFolder)
    await drop(exchange, 'orders.csv', 'Order;Name;Street;City\nORDER-1;Jansen;Dorpsstraat;\n')
    await resultOf(exchange, 'failed', 'orders')
    const [issue] = await openIssues(features)
    expect(issue).toMatchObject({ leftOut: {}, values: { reference: 'ORDER-1' } })
    const corrected = { issueId: issue?.id ?? '', values: { ...issue?.values, city: 'Utrecht' } }
    features.settings.change({ printers: printers.slice(0, 1) })
    expect(await features.handlers.sendOrderAgain(corrected)).toMatchObject({
      error: { code: 'order-file-invalid' },
    })
    features.settings.change({ printers })
    expect(await features.handlers.sendOrderAgain(corrected)).toMatchObject({ ok: true })
    expect(await resultOf(exchange, 'done', 'orders.line-1')).toMatchObject([
      { reference: 'ORDER-1', outcome: 'created', jobs: [{ printer: 'second' }] },
    ])
  })

  describe('at a station with two carriers', () => {
    const carriers = [
      { name: 'A', carrierId: 1, carrierOptionId: 11 },
      { name: 'B', carrierId: 2, carrierOptionId: 22 },
    ]
    const fields = {
      reference: { columns: ['Order'] },
      companyName: { columns: ['Company'] },
      lastName: { columns: ['Name'] },
      street: { columns: ['Street'] },
      city: { columns: ['City'] },
      country: { columns: ['Country'] },
      carrierOptionId: { columns: ['Option'] },
    }
    const header = 'Order;Company;Name;Street;City;Country;Option\n'

    async function mappedStation() {
      const station = await hotStation(await testSimulator(), {
        carriers,
        importMappings: [{ name: 'ERP', mapping: { weightUnit: 'kg', fields } }],
      })
      const { features, exchange } = station
      features.settings.change({ hotFolder: { path: exchange, print: false, mapping: 'ERP' } })
      await features.hotFolder.follow(features.settings.current().hotFolder)
      return station
    }

    async function draftOf(features: Services, reference: string) {
      const found = await features.history.search({
        ...wholeHistory,
        text: reference,
        limit: 1,
        before: null,
      })
      const details = await features.history.getDetails(found.shipments[0]?.id ?? '')
      if (!details.ok) throw new Error(details.error.message)
      return details.value.draft
    }

    it('of a table cannot be sent again before what kept it from being sent was corrected', async () => {
      const { exchange, features } = await mappedStation()
      const rows = [
        'CH-1;;Jansen;Dorpsstraat;Bern;CH;',
        'OPTION-1;;Jansen;Dorpsstraat;Utrecht;NL;99',
        'CELL-1;;Jansen;#REF!;Utrecht;NL;',
      ]
      await drop(exchange, 'orders.csv', `${header}${rows.join('\n')}\n`)
      await resultOf(exchange, 'failed', 'orders')
      const issues = await openIssues(features)
      const send = (reference: string, values: OrderValues) => {
        const issue = issues.find((each) => each.reference === reference)
        const corrected = { issueId: issue?.id ?? '', values: { ...issue?.values, ...values } }
        return features.handlers.sendOrderAgain(corrected)
      }
      const refused = (field: string, code: string) => ({
        ok: true,
        value: { issues: [{ field, code }], file: null },
      })
      expect(await send('CH-1', {})).toMatchObject(refused('country', 'customs-needed'))
      expect(await send('OPTION-1', {})).toMatchObject(refused('carrierOptionId', 'carrier-required'))
      expect(await send('CELL-1', {})).toMatchObject(refused('street', 'cell-error'))
      expect(await openIssues(features)).toHaveLength(3)
      expect(await send('CH-1', { country: 'NL' })).toMatchObject({ value: { issues: [] } })
      expect(await send('OPTION-1', { carrierOptionId: '22' })).toMatchObject({ value: { issues: [] } })
      for (const line of [1, 2]) await resultOf(exchange, 'done', `orders.line-${line}`)
      expect(await draftOf(features, 'OPTION-1')).toMatchObject({ carrierId: 2, carrierOptionId: 22 })
    })

    it('is sent again with the carrier of the option that was chosen, and otherwise with its own', async () => {
      const { exchange, features } = await mappedStation()
      const own = { carrier_id: 7, carrier_option_id: 11, city: '' }
      await drop(
        exchange,
        'own.json',
        ['KEPT', 'CHANGED', 'BY-DEFAULT'].map((reference) => order(reference, own)),
      )
      await drop(exchange, 'table.csv', `${header}MAPPED;;Jansen;Dorpsstraat;;NL;11\n`)
      await resultOf(exchange, 'failed', 'own')
      await resultOf(exchange, 'failed', 'table')
      const options: Record<string, string> = { CHANGED: '22', 'BY-DEFAULT': '', MAPPED: '22' }
      for (const { id, reference, values } of await openIssues(features)) {
        const carrierOptionId = options[reference ?? ''] ?? '11'
        const corrected = { issueId: id, values: { ...values, city: 'Utrecht', carrierOptionId } }
        expect(await features.handlers.sendOrderAgain(corrected)).toMatchObject({ value: { issues: [] } })
      }
      for (const name of ['own.line-1', 'own.line-2', 'own.line-3', 'table.line-1'])
        await resultOf(exchange, 'done', name)
      const pairs = ['KEPT', 'CHANGED', 'BY-DEFAULT', 'MAPPED'].map(async (reference) => {
        const { carrierId, carrierOptionId } = await draftOf(features, reference)
        return [carrierId, carrierOptionId]
      })
      expect(await Promise.all(pairs)).toEqual([
        [7, 11],
        [2, 22],
        [1, 11],
        [2, 22],
      ])
    })

    it('of a table is no company any more when its company name was removed', async () => {
      const { exchange, features } = await mappedStation()
      await drop(exchange, 'orders.csv', `${header}ORDER-1;De Bakker;Jansen;Dorpsstraat;;NL;11\n`)
      await resultOf(exchange, 'failed', 'orders')
      const [issue] = await openIssues(features)
      const values = { ...issue?.values, companyName: '', city: 'Utrecht' }
      await features.handlers.sendOrderAgain({ issueId: issue?.id ?? '', values })
      await resultOf(exchange, 'done', 'orders.line-1')
      expect(await draftOf(features, 'ORDER-1')).toMatchObject({ companyName: '', isCompany: false })
    })
  })

  it('is sent again from a file with a name whose 50th character is one half of an emoji', async () => {
    const { exchange, features } = await hotStation(await testSimulator())
    await drop(exchange, `${'a'.repeat(49)}😀.json`, order('ORDER-1', { weight: 0 }))
    await expect.poll(() => openIssues(features)).toHaveLength(1)
    const [issue] = await openIssues(features)
    const values = { ...issue?.values, weight: '1' }
    const file = `${'a'.repeat(49)}.line-1.json`
    expect(await features.handlers.sendOrderAgain({ issueId: issue?.id ?? '', values })).toMatchObject({
      value: { file },
    })
    await resultOf(exchange, 'done', `${'a'.repeat(49)}.line-1`)
  })

  it('closes when its reference is shipped by an order file that was taken before it and waited', async () => {
    const simulator = await testSimulator()
    const { data, exchange, features, station } = await hotStation(simulator)
    const takenAt = new Date(Date.now() - 60_000)
    await drop(exchange, 'one.json', [order('ORDER-1', { weight: 0 }), order('ORDER-2', { weight: 0 })])
    await resultOf(exchange, 'failed', 'one')
    const shipAs = async (reference: string) => {
      const draft = aDraft({ reference })
      const attempt = { attemptId: randomUUID(), draft, origin: 'hot-folder', print: false, takenAt } as const
      expect(await features.shipping.create(attempt)).toMatchObject({ value: { state: 'created' } })
    }
    await shipAs('ORDER-1')
    const references = async ({ hotFolder }: Services) =>
      (await openIssues({ hotFolder })).map(({ reference }) => reference)
    await expect.poll(() => references(features)).toEqual(['ORDER-2'])
    vi.spyOn(features.hotFolder.issues, 'updateFromShipment').mockResolvedValue(undefined)
    await shipAs('ORDER-2')
    await station.stop()
    const restarted = await (await stationOn(data)).start()
    if (!restarted.ok) throw new Error(restarted.error.message)
    expect(await references(restarted.value)).toEqual([])
  })

  it('with an unknown outcome names its shipment, and becomes «refused» when that shipment does not exist', async () => {
    const simulator = await testSimulator()
    const { exchange, features } = await hotStation(simulator)
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'resetAfterReading' }, times: 1 })
    await drop(exchange, 'lost.json', order('ORDER-1'))
    await resultOf(exchange, 'failed', 'lost')
    const [issue] = await openIssues(features)
    expect(issue).toMatchObject({ kind: 'unknown', reference: 'ORDER-1', shipmentId: expect.any(String) })
    await features.shipping.resolveUnknown(issue?.shipmentId ?? '', 'does-not-exist', null)
    await expect
      .poll(async () => (await openIssues(features)).map(({ kind, shipmentId }) => [kind, shipmentId]))
      .toEqual([['refused', null]])
  })

  it.each([true, false])(
    'with an unknown outcome and no shipment is sent again or closed only with the PIN if it guards that: %s',
    async (isGuarded) => {
      const simulator = await testSimulator()
      const guards = defaultPeopleSettings.guards.filter((guard) => isGuarded || guard !== 'resolve')
      const { exchange, features } = await hotStation(simulator, {
        people: { ...defaultPeopleSettings, guards },
      })
      await features.people.setPin('4711')
      await writeFile(
        join(exchange, 'work', 'lost.json'),
        JSON.stringify([order('ORDER-1'), order('ORDER-2')]),
      )
      // A file of the same name reveals the one in work/.
      await drop(exchange, 'lost.json', order('ORDER-3', { weight: 0 }))
      await resultOf(exchange, 'failed', 'lost')
      await resultOf(exchange, 'failed', 'lost.2')
      const issues = await openIssues(features)
      const find = (wanted: string) => {
        const issue = issues.find(({ reference }) => reference === wanted)
        return { issueId: issue?.id ?? '', values: { ...issue?.values, weight: '1' } }
      }
      expect(issues.filter(({ kind }) => kind === 'unknown')).toHaveLength(2)
      const { sendOrderAgain, closeOrderFileIssue } = features.handlers
      const end = async () => [
        await sendOrderAgain(find('ORDER-1')),
        await closeOrderFileIssue({ issueId: find('ORDER-2').issueId, note: 'It does not exist' }),
      ]
      if (isGuarded) {
        const refused = { error: { code: 'pin-required' } }
        expect(await end()).toMatchObject([refused, refused])
        expect(await openIssues(features)).toHaveLength(3)
        expect(await readdir(join(exchange, 'in'))).toEqual([])
      }
      expect(await sendOrderAgain(find('ORDER-3'))).toMatchObject({ ok: true })
      if (isGuarded) await features.people.enterPin('4711')
      expect(await end()).toMatchObject([{ ok: true }, { ok: true }])
      await resultOf(exchange, 'done', 'lost.line-1')
    },
  )

  it('can be closed with a note and records the signed-in operator', async () => {
    const people = { ...defaultPeopleSettings, operators: [{ name: 'Ann' }] }
    const { exchange, features } = await hotStation(await testSimulator(), { people })
    features.people.signIn({ name: 'Ann' })
    await drop(exchange, 'broken.json', '[{]')
    await resultOf(exchange, 'failed', 'broken')
    const [issue] = await openIssues(features)
    expect(issue).toMatchObject({ file: 'broken.json', line: null, values: null })
    const closed = await features.handlers.closeOrderFileIssue({
      issueId: issue?.id ?? '',
      note: 'The shop sent it twice',
    })
    expect(closed.ok).toBe(true)
    expect((await features.hotFolder.issues.list(true)).issues).toMatchObject([
      { closed: { note: 'The shop sent it twice', sentAs: null, by: 'Ann' } },
    ])
  })
})

describe('the issue of an ignored file in in/', () => {
  it('is open while the file is there, and stays closed once a person has closed it', async () => {
    const { exchange, features } = await hotStation(await testSimulator())
    await drop(exchange, 'orders.xlsx', 'no table')
    await drop(exchange, 'readme.txt', 'hello')
    // Files of the Windows Explorer.
    await drop(exchange, 'Thumbs.db', '')
    await drop(exchange, 'desktop.ini', '')
    await mkdir(join(exchange, 'in', 'folder'))
    const listIgnored = async () =>
      (await openIssues(features)).map(({ kind, file, error }) => [kind, file, error.details?.case]).sort()
    await expect.poll(listIgnored).toEqual([
      ['ignored', 'folder', 'no-file'],
      ['ignored', 'orders.xlsx', 'table'],
      ['ignored', 'readme.txt', 'other'],
    ])
    const readme = (await openIssues(features)).find(({ file }) => file === 'readme.txt')
    await features.hotFolder.issues.close(readme?.id ?? '', 'It belongs there')
    await rm(join(exchange, 'in', 'orders.xlsx'))
    await expect.poll(listIgnored).toEqual([['ignored', 'folder', 'no-file']])
  })
})
