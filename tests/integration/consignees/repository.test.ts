import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Consignees } from '../../../src/main/consignees/consignees'
import { ConsigneeRepository } from '../../../src/main/consignees/repository'
import type { Consignee } from '../../../src/shared/consignees'
import { openTestDatabase } from '../../support/databaseWorker'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'

const anna: Consignee = {
  isCompany: false,
  companyName: '',
  firstName: 'Anna',
  lastName: 'van den Berg',
  street: 'Keizersgracht',
  houseNumber: '12B',
  postalCode: '1015 CN',
  city: 'Amsterdam',
  country: 'NL',
  email: 'anna.berg@mail.example',
  phoneNumber: '+31 6 1234 5678',
}
const zoe: Consignee = {
  ...anna,
  companyName: 'Müller & Söhne',
  firstName: 'Zoë',
  lastName: 'Müller',
  postalCode: '50667',
  city: 'Köln',
  country: 'DE',
  email: 'zoe@example.de',
  phoneNumber: '',
}
const days = (count: number) => new Date(Date.UTC(2026, 10, count))

async function openConsignees() {
  const database = await openTestDatabase(join(await temporaryFolder(), 'packbench.db'))
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  const consignees = new ConsigneeRepository(database.value)
  await consignees.remember(anna, days(1))
  await consignees.remember(zoe, days(2))
  const find = async (text: string) =>
    (await consignees.suggest(text)).map(({ consignee }) => consignee.firstName)
  return { consignees, find, database: database.value }
}

it('suggest matches the beginnings of names, address, e-mail and phone words without accents', async () => {
  const { find } = await openConsignees()
  for (const text of [
    'ann',
    'BERG an',
    '1015cn 12',
    '1015 cn 12b',
    'anna.berg@m',
    '+31 6 1234',
    '3161234',
    'keizer 1015',
  ]) {
    expect([text, await find(text)]).toEqual([text, ['Anna']])
  }
  for (const text of ['mull', 'Müll', 'sohne', 'koln zo'])
    expect([text, await find(text)]).toEqual([text, ['Zoë']])
  for (const text of ['', '  ', '"', 'berg koln', 'erg', 'OR 1'])
    expect([text, await find(text)]).toEqual([text, []])
})

it('remember keeps one entry per person and address with the newest data, and suggest lists the newest first', async () => {
  const { consignees, find } = await openConsignees()
  expect(await find('keizersgracht')).toEqual(['Zoë', 'Anna'])
  await consignees.remember({ ...anna, email: 'new@example.nl', street: 'KEIZERSGRACHT' }, days(3))
  expect(await consignees.suggest('berg')).toEqual([
    expect.objectContaining({
      consignee: expect.objectContaining({ email: 'new@example.nl' }),
      lastShippedAt: '2026-11-03T00:00:00.000Z',
    }),
  ])
  expect(await find('keizersgracht')).toEqual(['Anna', 'Zoë'])
  expect(await find('mail')).toEqual([])
})

it('forget removes one consignee, and forgetBefore those without a recent shipment', async () => {
  const { consignees, find } = await openConsignees()
  const [first] = await consignees.suggest('zoe')
  await consignees.forget(first?.id ?? '')
  expect(await find('zoe')).toEqual([])
  expect(await consignees.forgetBefore(days(1), 10)).toBe(0)
  expect(await consignees.forgetBefore(days(2), 10)).toBe(1)
  expect(await find('anna')).toEqual([])
})

it('forget removes a consignee that was shipped to again since it was suggested', async () => {
  const { consignees, find } = await openConsignees()
  const [first] = await consignees.suggest('anna')
  await consignees.remember({ ...anna, email: 'new@example.nl' }, days(3))
  await consignees.forget(first?.id ?? '')
  expect([await find('anna'), await find('zoe')]).toEqual([[], ['Zoë']])
})

it('forgetAll removes all consignees, and later ones are suggested again', async () => {
  const { consignees, find } = await openConsignees()
  expect(await consignees.count()).toBe(2)
  await consignees.forgetAll()
  expect([await consignees.count(), await find('anna'), await find('zoe')]).toEqual([0, [], []])
  await consignees.remember(anna, days(3))
  expect(await find('anna')).toEqual(['Anna'])
})

it('findStreet returns a street only for postal codes that identify a street', async () => {
  const { consignees } = await openConsignees()
  const street = { street: 'Keizersgracht', city: 'Amsterdam', country: 'NL' }
  expect(await consignees.findStreet('1015cn', 'NL')).toEqual(street)
  expect(await consignees.findStreet('1015 CN', 'NL')).toEqual(street)
  expect(await consignees.findStreet('1015', 'NL')).toBeNull()
  expect(await consignees.findStreet('1015 CX', 'NL')).toBeNull()
  expect(await consignees.findStreet('50667', 'DE')).toBeNull()
  for (const [postalCode, country] of [
    ['D02 X285', 'IE'],
    ['K1A 0B1', 'CA'],
    ['018956', 'SG'],
    ['1100-148', 'PT'],
    ['01310-100', 'BR'],
  ] as const) {
    await consignees.remember({ ...anna, street: 'High Street', city: 'Town', postalCode, country }, days(5))
    expect(await consignees.findStreet(postalCode, country)).toEqual({
      street: 'High Street',
      city: 'Town',
      country,
    })
  }
  // Digits alone do not identify the country. Rural codes and codes of a whole town do not identify a street.
  expect(await consignees.findStreet('018956', '')).toBeNull()
  expect(await consignees.findStreet('D02X285', '')).toMatchObject({ country: 'IE' })
  for (const [postalCode, country] of [
    ['K0A 1A0', 'CA'],
    ['13960-000', 'BR'],
    ['10115', 'DE'],
    ['1000', 'BE'],
    ['75001', 'FR'],
  ] as const) {
    await consignees.remember({ ...anna, street: 'High Street', postalCode, country }, days(5))
    expect(await consignees.findStreet(postalCode, country)).toBeNull()
  }
})

it('findStreet returns null for a postal code with two known streets', async () => {
  const { consignees } = await openConsignees()
  await consignees.remember({ ...anna, firstName: 'Bram', houseNumber: '4' }, days(5))
  expect(await consignees.findStreet('1015 CN', 'NL')).toMatchObject({ street: 'Keizersgracht' })
  await consignees.remember({ ...anna, firstName: 'Carlijn', street: 'Leliegracht' }, days(6))
  expect(await consignees.findStreet('1015 CN', 'NL')).toBeNull()
})

it('remember does not replace a consignee with data of an older shipment', async () => {
  const { consignees, find } = await openConsignees()
  await consignees.remember({ ...anna, email: 'old@example.nl' }, new Date(Date.UTC(2020, 0, 1)))
  expect([await find('anna.berg'), await find('old')]).toEqual([['Anna'], []])
})

it('SQLite finds suggestions and streets by indexes', async () => {
  const { database } = await openConsignees()
  const plan = await sql<{ detail: string }>`
    explain query plan
    select consignees.* from consignee_words join consignees on consignees.number = consignee_words.rowid
    where consignee_words match ${'"ann"* "berg"*'} order by consignee_words.rowid desc limit 6
  `.execute(database)
  const steps = plan.rows.map(({ detail }) => detail)
  expect(steps).toEqual([
    expect.stringMatching(/^SCAN consignee_words VIRTUAL TABLE INDEX/),
    expect.stringMatching(/^SEARCH consignees USING INTEGER PRIMARY KEY/),
  ])
  const street = await sql<{ detail: string }>`
    explain query plan select * from consignees where street = ${'NL 1015cn'} and street <> '' order by number desc
  `.execute(database)
  expect(street.rows.map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/^SEARCH consignees USING INDEX consignees_by_street/),
  ])
})

it('Consignees lets other tasks run between two steps of processing shipments', async () => {
  const { consignees: repository } = await openConsignees()
  let steps = 0
  let others = 0
  vi.spyOn(repository, 'noteShipped').mockImplementation(async () => {
    expect(others).toBe(steps)
    steps += 1
    setTimeout(() => {
      others += 1
    }, 1)
    return steps < 5 ? 10 : 0
  })
  const consignees = new Consignees({ repository, isOn: () => true, log: silentLog, delayMs: 0 })
  consignees.noteSoon()
  await expect.poll(() => steps).toBe(5)
  await consignees.stop()
})
