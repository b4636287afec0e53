import { type FSWatcher, watch } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { toTemporaryPath } from '../../../src/main/lib/plainFiles'
import { ImportFolder } from '../../../src/main/orders/importFolder'
import { OrderListRepository } from '../../../src/main/orders/listRepository'
import { OrderImport, type OrderImportDeps } from '../../../src/main/orders/orderImport'
import { Orders } from '../../../src/main/orders/orders'
import { OrderRepository } from '../../../src/main/orders/repository'
import { readTable } from '../../../src/main/tables/readTable'
import type { OrderQuery } from '../../../src/shared/orders'
import { defaultSettings } from '../../../src/shared/settings'
import { openTestDatabase } from '../../support/databaseWorker'
import { deferred } from '../../support/deferred'
import { makePipe } from '../../support/makePipe'
import { unshared } from '../../support/noFleet'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'

vi.mock('node:fs', async (load) => {
  const fs = await load<typeof import('node:fs')>()
  return { ...fs, watch: vi.fn(fs.watch) }
})
vi.mock('node:fs/promises', async (load) => {
  const fs = await load<typeof import('node:fs/promises')>()
  return { ...fs, readdir: vi.fn(fs.readdir) }
})

const header = 'Order number;Name;Street;House number;Postal code;City;Country;Weight (g)'
const row = (reference: string) => `${reference};Jan Smit;Dam;1;1012 JS;Amsterdam;NL;500`

const toShip: OrderQuery = {
  ...{
    state: 'to-ship',
    text: '',
    country: '',
    origin: '',
    source: '',
    carrierOptionId: '',
    from: '',
    to: '',
  },
  ...{ sort: 'imported', descending: false, offset: 0, limit: 10 },
}

async function watchedFolder(
  shippedReferences = async () => new Set<string>(),
  people: OrderImportDeps['people'] = { isGuarded: () => false },
) {
  const root = await temporaryFolder()
  const database = await openTestDatabase(join(root, 'packbench.db'))
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  const bus = createEventBus()
  const repository = new OrderRepository(database.value)
  const orderList = new OrderListRepository(database.value)
  const deps = {
    currentOperator: () => 'Anna',
    sharing: unshared,
    claims: { findBlocker: async () => undefined },
    ...{ repository, orderList, readTable, bus, log: silentLog },
    settings: { current: () => defaultSettings },
    shippedReferences,
    people,
    now: () => new Date(),
  }
  const orders = new Orders(deps)
  const orderImport = new OrderImport(deps)
  const start = (importing: Pick<OrderImport, 'importFile'> = orderImport, times = {}) => {
    const rest = { bus, log: silentLog, pollMs: 50, now: () => new Date(), ...times }
    const started = new ImportFolder({ orderImport: importing, dataFolder: root, ...rest })
    onTestFinished(() => started.stop())
    return started
  }
  const importFolder = start()
  const folder = join(root, 'orders')
  const note = async (place: 'done' | 'failed', name: string) => {
    const path = join(folder, place, `${name}.result.json`)
    await expect.poll(() => readFile(path, 'utf8').catch(() => '')).toMatch(/\}\n$/)
    await expect.poll(() => readdir(join(folder, place))).toContain(name)
    const content: unknown = JSON.parse(await readFile(path, 'utf8'))
    return content
  }
  return { orders, orderImport, orderList, importFolder, start, root, folder, note }
}

it('the import folder imports a file and moves it to done/ with a result file', async () => {
  const { orders, importFolder, folder, note, orderList } = await watchedFolder()
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
  await expect.poll(() => readdir(folder).catch(() => undefined)).toBeDefined()
  await writeFile(join(folder, '.part'), [header, row('A-1'), row('')].join('\n'))
  await rename(join(folder, '.part'), join(folder, 'shop.csv'))
  expect(await note('done', 'shop.csv')).toEqual({
    ...{
      file: 'shop.csv',
      movedTo: join('done', 'shop.csv'),
      added: 2,
      updated: 0,
      skipped: 0,
      withIssues: 1,
      error: null,
    },
  })
  expect(await orderList.counts()).toMatchObject({ 'to-ship': 1, problem: 1 })
  expect((await orders.list({ ...toShip, origin: 'import-folder' })).orders).toMatchObject([
    { origin: 'import-folder', source: { kind: 'file', name: 'shop.csv', line: 2 } },
  ])
  expect(await readdir(folder)).not.toContain('shop.csv')
})

it('the import folder adds each order of a customer whose name is in a column of its own', async () => {
  const { orders, importFolder, folder, note } = await watchedFolder()
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
  await expect.poll(() => readdir(folder).catch(() => undefined)).toBeDefined()
  const address = 'Anna Berg;Kerkstraat 5;1234 AB;Utrecht;NL'
  const content = [
    'Order ID;Name;Delivery name;Delivery street;Delivery zip;Delivery city;Delivery country',
    `10001;Anna Berg;${address}`,
    `10002;Anna Berg;${address}`,
  ].join('\n')
  await writeFile(join(folder, 'shop.csv'), content)
  expect(await note('done', 'shop.csv')).toMatchObject({ added: 2, withIssues: 0 })
  const { orders: listed } = await orders.list(toShip)
  expect(listed.map(({ values }) => values.reference).sort()).toEqual(['10001', '10002'])
})

it.runIf(process.platform === 'linux')(
  'the import folder takes a renamed file without waiting for the rest time',
  async () => {
    const { start, folder, note, orderImport } = await watchedFolder()
    await start(orderImport, { restMs: 600_000 }).follow({ path: 'orders', onDuplicate: 'skip' })
    await expect.poll(() => readdir(join(folder, 'done')).catch(() => undefined)).toBeDefined()
    await writeFile(join(folder, '.part'), [header, row('A-1'), ''].join('\n'))
    await rename(join(folder, '.part'), join(folder, 'shop.csv'))
    expect(await note('done', 'shop.csv')).toMatchObject({ added: 1 })
  },
)

it('the import folder waits for the content of an empty file', async () => {
  const { start, folder, note, orderImport } = await watchedFolder()
  await start(orderImport, { restMs: 100 }).follow({ path: 'orders', onDuplicate: 'skip' })
  await expect.poll(() => readdir(join(folder, 'done')).catch(() => undefined)).toBeDefined()
  await writeFile(join(folder, 'query.csv'), '')
  await pause(500)
  expect(await readdir(folder)).toContain('query.csv')
  await writeFile(join(folder, 'query.csv'), [header, row('A-1'), ''].join('\n'))
  expect(await note('done', 'query.csv')).toMatchObject({ added: 1 })
})

it.runIf(process.platform === 'linux')(
  'the import folder moves a file to done/ only after its result is there',
  async () => {
    const { importFolder, folder, note } = await watchedFolder()
    await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
    const done = join(folder, 'done')
    await expect.poll(() => readdir(done).catch(() => undefined)).toBeDefined()
    const names: (string | null)[] = []
    const watcher = watch(done, (_event, name) => names.push(name))
    onTestFinished(() => watcher.close())
    await writeFile(join(folder, 'shop.csv'), [header, row('A-1')].join('\n'))
    await note('done', 'shop.csv')
    const complete = ['shop.csv', 'shop.csv.result.json']
    await expect.poll(() => names).toEqual(expect.arrayContaining(complete))
    expect(names.filter((name) => complete.includes(name ?? '')).at(-1)).toBe('shop.csv')
  },
)

/** Stops an import of `shop.csv`, and returns the name that the file has in work/. */
async function leaveInWork(
  start: Awaited<ReturnType<typeof watchedFolder>>['start'],
  folder: string,
): Promise<string> {
  const failing = start({ importFile: () => Promise.reject(new Error('the database is gone')) })
  await mkdir(folder)
  await writeFile(join(folder, 'shop.csv'), [header, row('A-1')].join('\n'))
  await failing.follow({ path: 'orders', onDuplicate: 'skip' })
  await expect.poll(() => failing.currentFailure()?.message).toContain('shop.csv: the database is gone')
  await failing.stop()
  const [workName = ''] = await readdir(join(folder, 'work'))
  return workName
}

it.each(['before its result is in done/', 'between its result and the file', 'after the file was moved'])(
  'the import folder completes a delivery that a crash interrupted %s',
  async (when) => {
    const { importFolder, start, folder, note } = await watchedFolder()
    const workName = await leaveInWork(start, folder)
    const outcome = { file: 'shop.csv', movedTo: join('done', 'shop.csv'), added: 7 }
    const result = `${JSON.stringify(outcome)}\n`
    await writeFile(join(folder, 'work', `${workName}.result.json`), result)
    if (when.startsWith('between')) await writeFile(join(folder, 'done', 'shop.csv.result.json'), result)
    if (when.startsWith('after'))
      await rename(join(folder, 'work', workName), join(folder, 'done', 'shop.csv'))
    await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
    expect(await note('done', 'shop.csv')).toEqual(outcome)
    await expect.poll(() => readdir(join(folder, 'work'))).toEqual([])
    expect((await readdir(join(folder, 'done'))).toSorted()).toEqual(['shop.csv', 'shop.csv.result.json'])
  },
)

it.each([
  ['taken away', []],
  ['replaced by another station’s', ['shop.csv', 'shop.csv.result.json']],
] as const)(
  'the import folder delivers no result again whose file and result were %s before a crash was cleaned up',
  async (_, others) => {
    const { importFolder, start, folder } = await watchedFolder()
    const workName = await leaveInWork(start, folder)
    const outcome = { file: 'shop.csv', movedTo: join('done', 'shop.csv'), added: 7 }
    await writeFile(join(folder, 'work', `${workName}.result.json`), JSON.stringify(outcome))
    await rm(join(folder, 'work', workName))
    for (const name of others) await writeFile(join(folder, 'done', name), 'theirs')
    await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
    await expect.poll(() => readdir(join(folder, 'work'))).toEqual([])
    expect((await readdir(join(folder, 'done'))).toSorted()).toEqual([...others])
    for (const name of others) expect(await readFile(join(folder, 'done', name), 'utf8')).toBe('theirs')
  },
)

it('the import folder takes files left in work/ under a previous data folder path only while that path links to the folder', async () => {
  const { root, start, folder, note, orderImport } = await watchedFolder()
  const [earlier, other] = [join(root, 'roaming'), join(root, 'other')]
  await symlink(root, earlier, 'junction')
  await mkdir(folder)
  const leave = async (dataFolder: string, name: string) => {
    const importing = { importFile: () => Promise.reject(new Error('the database is gone')) }
    const failing = start(importing, { dataFolder })
    await writeFile(join(folder, name), [header, row(name)].join('\n'))
    await failing.follow({ path: folder, onDuplicate: 'skip' })
    await expect.poll(() => failing.currentFailure()?.message).toContain(`${name}: the database is gone`)
    await failing.stop()
  }
  await leave(earlier, 'a.csv')
  await leave(other, 'b.csv')
  // A path that is not a link belongs to another station, even when it is given as the previous data folder.
  await mkdir(other)
  const stranger = start(orderImport, { earlierDataFolder: other })
  await stranger.follow({ path: 'orders', onDuplicate: 'skip' })
  await writeFile(join(folder, 'c.csv'), [header, row('c')].join('\n'))
  await note('done', 'c.csv')
  await stranger.stop()
  expect(await readdir(join(folder, 'work'))).toHaveLength(2)
  await start(orderImport, { earlierDataFolder: earlier }).follow({ path: 'orders', onDuplicate: 'skip' })
  expect(await note('done', 'a.csv')).toMatchObject({ added: 1 })
  expect(await readdir(join(folder, 'work'))).toEqual([expect.stringMatching(/\.b\.csv$/)])
})

it('the import folder does not take a file while it is being written', async () => {
  const { importFolder, folder, note, orderList } = await watchedFolder()
  await mkdir(folder)
  await writeFile(join(folder, 'slow.csv'), `${header}\n`)
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
  for (let number = 1; number <= 8; number += 1) {
    await writeFile(join(folder, 'slow.csv'), `${row(`A-${number}`)}\n`, { flag: 'a' })
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  expect(await note('done', 'slow.csv')).toMatchObject({ added: 8 })
  expect(await orderList.counts()).toMatchObject({ 'to-ship': 8 })
})

it('the import folder imports other files while one keeps changing, and that one when it is at rest', async () => {
  const { importFolder, folder, note } = await watchedFolder()
  await mkdir(folder)
  const changing = join(folder, 'a.csv')
  await writeFile(changing, [header, row('A-1')].join('\n'))
  let isWriting = true
  const write = async () => {
    for (let second = 1; isWriting; second += 1) await utimes(changing, second, second)
  }
  const written = write()
  onTestFinished(async () => {
    isWriting = false
    await written
  })
  await writeFile(join(folder, 'z.csv'), [header, row('Z-1')].join('\n'))
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
  expect(await note('done', 'z.csv')).toMatchObject({ added: 1 })
  expect(await readdir(folder)).toContain('a.csv')
  isWriting = false
  await written
  expect(await note('done', 'a.csv')).toMatchObject({ added: 1 })
  expect(importFolder.currentFailure()).toBeNull()
})

it('the import folder moves a file without order columns or an unreadable one to failed/ with the reason, and imports the next', async () => {
  const { importFolder, folder, note } = await watchedFolder()
  await mkdir(folder)
  await writeFile(join(folder, 'a.csv'), 'Colour;Size\nred;1\n')
  await writeFile(join(folder, 'b.xlsx'), Buffer.from([0x50, 0x4b, 0x03, 0x04, 0, 1, 2]))
  await writeFile(join(folder, 'c.csv'), [header, row('C-1')].join('\n'))
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
  expect(await note('failed', 'a.csv')).toMatchObject({ error: { code: 'order-columns-unknown' } })
  expect(await note('failed', 'b.xlsx')).toMatchObject({ error: { code: 'table-unreadable' } })
  expect(await note('done', 'c.csv')).toMatchObject({ added: 1 })
})

it('the import folder replaces listed orders with «update», and numbers the second file with the same name', async () => {
  const { orders, importFolder, folder, note } = await watchedFolder()
  await mkdir(folder)
  await writeFile(join(folder, 'shop.csv'), [header, row('A-1')].join('\n'))
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
  await note('done', 'shop.csv')
  await importFolder.follow({ path: 'orders', onDuplicate: 'update' })
  await writeFile(join(folder, 'shop.csv'), [header, row('A-1').replace('Amsterdam', 'Utrecht')].join('\n'))
  expect(await note('done', 'shop.2.csv')).toMatchObject({ updated: 1 })
  const listed = await orders.list(toShip)
  expect(listed.orders).toMatchObject([{ values: { city: 'Utrecht' } }])
})

it('the import folder imports files that waited in the order in which they were written', async () => {
  const { orders, importFolder, folder, note } = await watchedFolder()
  await mkdir(folder)
  for (const [name, city, hour] of [
    ['orders-9.csv', 'Amsterdam', 17],
    ['orders-10.csv', 'Utrecht', 18],
  ] as const) {
    await writeFile(join(folder, name), [header, row('A-1').replace('Amsterdam', city)].join('\n'))
    const written = new Date(Date.UTC(2026, 10, 20, hour))
    await utimes(join(folder, name), written, written)
  }
  await importFolder.follow({ path: 'orders', onDuplicate: 'update' })
  expect(await note('done', 'orders-9.csv')).toMatchObject({ added: 1 })
  expect(await note('done', 'orders-10.csv')).toMatchObject({ updated: 1 })
  expect((await orders.list(toShip)).orders).toMatchObject([{ values: { city: 'Utrecht' } }])
})

it('the import folder uses the mapping of the settings when the headings are unknown', async () => {
  const { importFolder, folder, note, orderList } = await watchedFolder()
  await mkdir(folder)
  await writeFile(join(folder, 'erp.csv'), 'C1;C2\nE-1;Amsterdam\n')
  const fields = { reference: { columns: ['C1'] }, city: { columns: ['C2'] } }
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip', mapping: { fields, weightUnit: 'kg' } })
  expect(await note('done', 'erp.csv')).toMatchObject({ added: 1, withIssues: 1 })
  expect(await orderList.counts()).toMatchObject({ problem: 1 })
})

it('the import folder imports nothing from a file without a column of the mapping', async () => {
  const { importFolder, folder, note, orderList } = await watchedFolder()
  await mkdir(folder)
  await writeFile(join(folder, 'erp.csv'), 'C1;STREET;HOUSE_NO\nE-1;Dam;1\n')
  const columns = { reference: 'C1', street: 'STREET', houseNumber: 'HUISNR' }
  const fields = Object.fromEntries(
    Object.entries(columns).map(([field, name]) => [field, { columns: [name] }]),
  )
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip', mapping: { fields, weightUnit: 'kg' } })
  expect(await note('failed', 'erp.csv')).toMatchObject({
    error: { code: 'order-column-missing', message: expect.stringContaining('“HUISNR”') },
  })
  expect(await orderList.counts()).toMatchObject({ 'to-ship': 0, problem: 0 })
})

it('the import folder uses the mapping of an import whose headings had other blanks around them', async () => {
  const { importFolder, folder, note, orderImport, orders } = await watchedFolder()
  const file = (remark: string, reference: string) =>
    [`${header};${remark}`, `${row(reference)};Fragile`].join('\n')
  const plan = await orderImport.readFile('shop.csv', Buffer.from(file('Remark ', 'A-1')), false)
  if (!plan.ok) throw new Error(plan.error.message)
  const { importId, mapping, header: headings } = plan.value
  const fields = { ...mapping.fields, content: { columns: headings.slice(-1) } }
  await orderImport.import(importId, { ...mapping, fields }, 'skip')
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
  await expect.poll(() => readdir(folder).catch(() => undefined)).toBeDefined()
  await writeFile(join(folder, '.part'), file('Remark', 'A-2'))
  await rename(join(folder, '.part'), join(folder, 'shop.csv'))
  expect(await note('done', 'shop.csv')).toMatchObject({ added: 1, error: null })
  const contents = (await orders.list(toShip)).orders.map(({ values }) => values.content)
  expect(contents).toEqual(['Fragile', 'Fragile'])
})

it('the import folder refuses a file whose columns an import mapped otherwise while the PIN guards the settings, and leaves that mapping to the next import', async () => {
  const guards = { settings: false }
  const people = { isGuarded: (action: string) => action === 'settings' && guards.settings }
  const { importFolder, folder, note, orderImport, orders } = await watchedFolder(undefined, people)
  const read = async (reference: string) => {
    const bytes = Buffer.from([header, row(reference)].join('\n'))
    const plan = await orderImport.readFile('shop.csv', bytes, false)
    if (!plan.ok) throw new Error(plan.error.message)
    return plan.value
  }
  const { importId, mapping } = await read('A-1')
  const mistaken = { ...mapping, fields: { ...mapping.fields, country: { fixed: 'BE' } } }
  await orderImport.import(importId, mistaken, 'skip')
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
  await expect.poll(() => readdir(folder).catch(() => undefined)).toBeDefined()
  const drop = async (reference: string) => {
    await writeFile(join(folder, '.part'), [header, row(reference)].join('\n'))
    await rename(join(folder, '.part'), join(folder, `${reference}.csv`))
  }
  await drop('A-2')
  expect(await note('done', 'A-2.csv')).toMatchObject({ added: 1 })
  guards.settings = true
  await drop('A-3')
  expect(await note('failed', 'A-3.csv')).toMatchObject({
    error: { code: 'order-columns-unknown', message: expect.stringContaining('While the PIN guards') },
  })
  const countries = (await orders.list(toShip)).orders.map(({ values }) => [values.reference, values.country])
  expect(Object.fromEntries(countries)).toEqual({ 'A-1': 'BE', 'A-2': 'BE' })
  const next = await read('A-4')
  expect(next.mapping).toEqual(mistaken)
  await orderImport.import(next.importId, mapping, 'skip')
  await drop('A-5')
  expect(await note('done', 'A-5.csv')).toMatchObject({ added: 1 })
})

it('the import folder reports that its folder is unusable, and resumes by itself', async () => {
  const { importFolder, folder, note } = await watchedFolder()
  await writeFile(folder, 'a file in its place')
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
  await expect.poll(() => importFolder.currentFailure()?.code).toBe('order-import-stopped')
  await rm(folder)
  await expect.poll(() => importFolder.currentFailure()).toBeNull()
  await writeFile(join(folder, 'shop.csv'), [header, row('A-1')].join('\n'))
  expect(await note('done', 'shop.csv')).toMatchObject({ added: 1 })
})

it('the import folder reports a share that does not answer, then uses another folder, and stops', async () => {
  const { start, orderImport, folder, root, note } = await watchedFolder()
  const importFolder = start(orderImport, { slowMs: 100 })
  const { promise: answer, resolve: answerAll } = deferred<undefined>()
  onTestFinished(() => void vi.mocked(readdir).mockRestore())
  const list = vi.mocked(readdir).getMockImplementation()
  if (list === undefined) throw new Error('readdir is not mocked')
  vi.mocked(readdir).mockImplementation(async (...asked) => {
    if (asked[0] === folder) await answer
    return list(...asked)
  })
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
  await expect.poll(() => importFolder.currentFailure()?.message).toContain('has not answered for 100 ms')
  await importFolder.follow({ path: 'others', onDuplicate: 'skip' })
  await expect.poll(() => importFolder.currentFailure()).toBeNull()
  const others = join(root, 'others')
  await expect.poll(() => readdir(join(others, 'failed')).catch(() => undefined)).toBeDefined()
  await writeFile(join(others, 'shop.csv'), [header, row('A-1')].join('\n'))
  await expect.poll(() => readdir(join(others, 'done'))).toContain('shop.csv')
  await writeFile(join(folder, 'late.csv'), [header, row('A-2')].join('\n'))
  await importFolder.follow({ path: 'orders', onDuplicate: 'update' })
  await importFolder.stop()
  answerAll(undefined)
  await start().follow({ path: 'orders', onDuplicate: 'skip' })
  expect(await note('done', 'late.csv')).toMatchObject({ added: 1 })
})

it('the import folder stops between two steps of an import, and the next start resumes it', async () => {
  const begun = deferred<undefined>()
  const stopped = deferred<undefined>()
  const { importFolder, start, orderList, folder, note } = await watchedFolder(async () => {
    begun.resolve(undefined)
    await stopped.promise
    return new Set()
  })
  await mkdir(folder)
  await writeFile(join(folder, 'shop.csv'), [header, row('A-1'), row('A-2')].join('\n'))
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
  await begun.promise
  const stopping = importFolder.stop()
  stopped.resolve(undefined)
  await stopping
  expect(await orderList.counts()).toMatchObject({ 'to-ship': 0 })
  expect(await readdir(join(folder, 'done'))).toEqual([])
  await start().follow({ path: 'orders', onDuplicate: 'skip' })
  expect(await note('done', 'shop.csv')).toMatchObject({ added: 2, skipped: 0 })
})

it('the import folder reports the files that it cannot take, but no unfinished ones', async () => {
  const { importFolder, folder, note } = await watchedFolder()
  await mkdir(join(folder, 'old'), { recursive: true })
  const reasons = ['orders.ods: it is no .csv, .tsv, .txt or .xlsx file']
  const names: (string | Buffer)[] = ['orders.ods', 'shop.csv.part', '.hidden', 'Thumbs.db']
  if (process.platform === 'linux') {
    names.push(Buffer.from('M\xFCller.csv', 'latin1'))
    reasons.push('M\uFFFDller.csv: its name is not in UTF-8')
  }
  for (const name of names)
    await writeFile(Buffer.concat([Buffer.from(join(folder, '/')), Buffer.from(name)]), header)
  await writeFile(join(folder, 'z.csv'), [header, row('Z-1')].join('\n'))
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
  expect(await note('done', 'z.csv')).toMatchObject({ added: 1 })
  await expect
    .poll(() => importFolder.currentFailure()?.details?.reason?.split('; ').toSorted())
    .toEqual(reasons.toSorted())
})

it('the import folder moves a file to failed/ that was written to during its import', async () => {
  const { start, orderImport, folder, note } = await watchedFolder()
  const importFolder = start({
    importFile: async (...file) => {
      const result = await orderImport.importFile(...file)
      await writeFile(join(folder, 'work', file[4].id), `\n${row('A-2')}`, { flag: 'a' })
      return result
    },
  })
  await mkdir(folder)
  await writeFile(join(folder, 'shop.csv'), [header, row('A-1')].join('\n'))
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
  expect(await note('failed', 'shop.csv')).toMatchObject({
    error: { message: expect.stringContaining('imported: 1') },
  })
})

it('the import folder is not created again when it disappears, because its share was probably unmounted', async () => {
  const { importFolder, root, folder, note } = await watchedFolder()
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
  await expect.poll(() => readdir(join(folder, 'failed')).catch(() => undefined)).toBeDefined()
  await rename(folder, join(root, 'unmounted'))
  await expect.poll(() => importFolder.currentFailure()?.message).toContain('ENOENT')
  expect(await readdir(root)).not.toContain('orders')
  await rename(join(root, 'unmounted'), folder)
  await writeFile(join(folder, 'shop.csv'), [header, row('A-1')].join('\n'))
  expect(await note('done', 'shop.csv')).toMatchObject({ added: 1 })
  expect(importFolder.currentFailure()).toBeNull()
})

it('the import folder does not import a file that it cannot move, reports it, and imports the others', async () => {
  const { importFolder, folder, note, orderList } = await watchedFolder()
  await mkdir(folder)
  // One name is too long for work/, the other for its result there.
  const name = `${'a'.repeat(240)}.csv`
  const shorter = `${'b'.repeat(206)}.csv`
  for (const each of [name, shorter]) await writeFile(join(folder, each), [header, row('')].join('\n'))
  await writeFile(join(folder, 'z.csv'), [header, row('Z-1')].join('\n'))
  await importFolder.follow({ path: 'orders', onDuplicate: 'update' })
  expect(await note('done', 'z.csv')).toMatchObject({ added: 1 })
  await expect
    .poll(() => importFolder.currentFailure()?.message)
    .toContain(`${name}: its name is too long by 38 bytes`)
  expect(importFolder.currentFailure()?.message).toContain(`${shorter}: its name is too long by 4 bytes`)
  await writeFile(join(folder, 'z.csv'), [header, row('Z-2')].join('\n'))
  expect(await note('done', 'z.2.csv')).toMatchObject({ added: 1 })
  expect(await orderList.counts()).toMatchObject({ 'to-ship': 2, problem: 0 })
  expect(await readdir(folder)).toEqual(expect.arrayContaining([name, shorter]))
})

/** An imported file that stays in work/ because done/ is blocked by a file. */
async function importedButNotMoved() {
  const station = await watchedFolder()
  const { orders, orderImport, orderList, start, folder } = station
  await orderImport.importFile('shop.csv', Buffer.from([header, row('A-1')].join('\n')), null, 'skip', {
    ...{ id: 'earlier', resumedFrom: null },
  })
  let imports = 0
  const importFolder = start({
    importFile: async (...file) => {
      imports += 1
      const result = await orderImport.importFile(...file)
      await rm(join(folder, 'done'), { recursive: true })
      await writeFile(join(folder, 'done'), 'a file in its place')
      return result
    },
  })
  await mkdir(folder)
  const rows = [header, row('A-1'), row('B-1'), row('')]
  await writeFile(join(folder, 'shop.csv'), rows.join('\n'))
  await importFolder.follow({ path: 'orders', onDuplicate: 'update' })
  await expect.poll(() => importFolder.currentFailure()?.message).toContain('done is a link or no folder')
  expect(await orderList.counts()).toMatchObject({ 'to-ship': 2, problem: 1 })
  for (const { id, values } of (await orders.list(toShip)).orders)
    await orders.change(id, { ...values, city: 'Utrecht' })
  return { ...station, importFolder, imports: () => imports }
}

const outcome = { added: 2, updated: 1, skipped: 0, withIssues: 1, error: null }

it('the import folder imports a file once although it cannot be moved out of work/ for a while', async () => {
  const { imports, folder, note } = await importedButNotMoved()
  await rm(join(folder, 'done'))
  expect(await note('done', 'shop.csv')).toMatchObject(outcome)
  expect(imports()).toBe(1)
  expect(await readdir(join(folder, 'work'))).toEqual([])
})

it('the import folder adds nothing twice and keeps corrections after a crash between import and move', async () => {
  const { importFolder, start, orders, folder, note, orderList } = await importedButNotMoved()
  await importFolder.stop()
  expect(await readdir(join(folder, 'work'))).toHaveLength(1)
  await rm(join(folder, 'done'))
  await start().follow({ path: 'orders', onDuplicate: 'update' })
  expect(await note('done', 'shop.csv')).toMatchObject(outcome)
  expect(await orderList.counts()).toMatchObject({ 'to-ship': 2, problem: 1 })
  const { orders: listed } = await orders.list(toShip)
  expect(listed.map(({ values }) => values.city)).toEqual(['Utrecht', 'Utrecht'])
})

it('the import folder imports a file that an earlier run took, and leaves files of other stations in work/', async () => {
  const { importFolder, start, folder, note, orderList } = await watchedFolder()
  const failing = start({ importFile: () => Promise.reject(new Error('the database is gone')) })
  await mkdir(folder)
  await writeFile(join(folder, 'shop.csv'), [header, row('A-1')].join('\n'))
  await failing.follow({ path: 'orders', onDuplicate: 'skip' })
  await expect.poll(() => failing.currentFailure()?.message).toContain('shop.csv: the database is gone')
  await failing.stop()
  const foreign = `${'0'.repeat(36)}.other.csv`
  await writeFile(join(folder, 'work', foreign), [header, row('B-1')].join('\n'))
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
  expect(await note('done', 'shop.csv')).toMatchObject({ added: 1 })
  expect(await orderList.counts()).toMatchObject({ 'to-ship': 1 })
  expect(await readdir(join(folder, 'work'))).toEqual([foreign])
})

it.skipIf(process.platform === 'win32')('the import folder moves nothing while done/ is a link', async () => {
  const { importFolder, root, folder, orderList } = await watchedFolder()
  await mkdir(folder)
  await mkdir(join(root, 'elsewhere'))
  await symlink(join(root, 'elsewhere'), join(folder, 'done'))
  await writeFile(join(folder, 'shop.csv'), [header, row('A-1')].join('\n'))
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
  await expect.poll(() => importFolder.currentFailure()?.message).toContain('done is a link')
  expect(await readdir(folder)).toContain('shop.csv')
  expect(await orderList.counts()).toMatchObject({ 'to-ship': 0 })
})

it.skipIf(process.platform === 'win32').each(['work', 'done'] as const)(
  'the import folder writes no result through links, and waits for no pipe in place of a result in %s/',
  async (place) => {
    const { importFolder, start, root, folder, note } = await watchedFolder()
    const victim = join(root, 'vault.json')
    await writeFile(victim, 'secret')
    const workName = await leaveInWork(start, folder)
    const done = join(folder, 'done')
    for (const name of ['shop.csv.result.json.part', 'z.csv.result.json.part'])
      await symlink(victim, join(done, name))
    const [inWork, inDone] = [
      join(folder, 'work', `${workName}.result.json`),
      join(done, 'shop.csv.result.json'),
    ]
    makePipe(place === 'work' ? inWork : inDone)
    if (place === 'work') await symlink(victim, inDone)
    else await writeFile(inWork, JSON.stringify({ movedTo: join('done', 'shop.csv') }))
    await writeFile(join(folder, 'z.csv'), [header, row('Z-1')].join('\n'))
    await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
    expect(await note('done', 'shop.2.csv')).toMatchObject({ added: 1 })
    expect(await note('done', 'z.csv')).toMatchObject({ added: 1 })
    expect(importFolder.currentFailure()).toBeNull()
    expect(await readFile(victim, 'utf8')).toBe('secret')
    expect(await readdir(join(folder, 'work'))).toEqual([])
  },
)

it.skipIf(process.platform === 'win32')(
  'the import folder writes a chosen content of work/ to no file outside the folder',
  async () => {
    const { importFolder, start, root, folder, note } = await watchedFolder()
    const victim = join(root, 'settings.json')
    await writeFile(victim, '{}')
    const workName = await leaveInWork(start, folder)
    const [prefix] = workName.split('.')
    const chosen = JSON.stringify({ movedTo: join('done', 'x.csv'), orderImport: null })
    await writeFile(join(folder, 'work', `${prefix}.x.csv.result.json`), chosen)
    await writeFile(join(folder, 'done', 'x.csv'), '')
    await symlink(victim, join(folder, 'done', 'x.csv.result.json.part'))
    await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
    await note('done', 'shop.csv')
    expect(await readFile(victim, 'utf8')).toBe('{}')
  },
)

it('the import folder removes what an interrupted write left a day ago', async () => {
  const { importFolder, folder, note } = await watchedFolder()
  await mkdir(join(folder, 'done'), { recursive: true })
  const [old, recent] = [toTemporaryPath(join(folder, 'done')), toTemporaryPath(join(folder, 'done'))]
  for (const path of [old, recent]) await writeFile(path, '{')
  await utimes(old, new Date(0), new Date(0))
  await writeFile(join(folder, 'shop.csv'), [header, row('A-1')].join('\n'))
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
  await note('done', 'shop.csv')
  const names = await readdir(join(folder, 'done'))
  expect(names).toContain(basename(recent))
  expect(names).not.toContain(basename(old))
})

it('the import folder renews its file watcher after an error of the watcher', async () => {
  const { importFolder } = await watchedFolder()
  const watched = vi.mocked(watch)
  watched.mockClear()
  await importFolder.follow({ path: 'orders', onDuplicate: 'skip' })
  await expect.poll(() => watched.mock.results.length).toBe(1)
  const watcher: FSWatcher | undefined = watched.mock.results[0]?.value
  watcher?.emit('error', new Error('ENOSPC'))
  await expect.poll(() => watched.mock.results.length).toBe(2)
})

it('importFile queries the shipped references once per file', async () => {
  const asked = vi.fn(async () => new Set<string>())
  const { orderImport } = await watchedFolder(asked)
  const content = Buffer.from([header, row('A-1')].join('\n'))
  const imported = await orderImport.importFile('a.csv', content, null, 'skip', {
    id: 'one',
    resumedFrom: null,
  })
  expect(imported).toMatchObject({ ok: true, value: { added: 1 } })
  expect(asked).toHaveBeenCalledTimes(1)
})
