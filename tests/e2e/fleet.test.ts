import { join } from 'node:path'
import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { createTranslator } from '../../src/renderer/i18n/translator'
import type { SettingsChange } from '../../src/shared/settings'
import { header, orderRow } from '../support/orderRows'
import { postgresOfBlock, postgresPassword } from '../support/privatePostgres'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { axeFindings } from './support/accessibility'
import { launch } from './support/drivenApp'
import { misfits, resize, usualSize } from './support/layout'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { picture } from './support/screens'

const postgres = postgresOfBlock()

/** Adds three other stations to the fleet (one active, one silent, one lost) with shipments, claims and conflicts. */
async function fillFleet(database: string): Promise<void> {
  const run = (text: string) => postgres().query(text, [], database)
  await run(`insert into packbench.stations (id, name, version, seen_at, lost_at) values
    ('b', 'Packing bench 2 beside the tape machine', '0.1.0', now() + interval '1 hour', null),
    ('c', 'Returns', '0.1.0', now() - interval '3 hours', null),
    ('d', 'Mezzanine', '0.0.9', now() - interval '4 days', now() - interval '1 day')`)
  await run(`insert into packbench.shipments (id, reference, all_references, station, attempt, state, operator, taken_at,
      carrier_option, packages, country, barcodes, search_text)
    select i::text || 'e000000-0000-4000-8000-000000000000', reference, array[reference], station, 'attempt-' || i, state,
      'Anna van den Oetelaar-de Vries', now() - make_interval(mins => i), 11, 1, 'NL', barcodes, lower(reference)
    from (values (1, 'WEB-2026-000501', 'b', 'created', array['3SPACK000000501']),
      (2, 'WEB-2026-000502', 'c', 'unknown', array[]::text[]), (3, 'WEB-2026-000503', 'b', 'created', array['3SPACK000000503']),
      (4, 'WEB-2026-000503', 'c', 'created', array['3SPACK000000999'])) as shipped (i, reference, station, state, barcodes)`)
  await run(`insert into packbench.claims (reference, held_by, held_attempt, held_shipment, held_state, held_operator, held_since,
      created_shipment, created_station, created_operator, created_taken_at, created_barcodes) values
    ('WEB-2026-000501', null, null, null, null, null, null, '1e000000-0000-4000-8000-000000000000', 'b',
      'Anna van den Oetelaar-de Vries', now(), array['3SPACK000000501']),
    ('WEB-2026-000502', 'c', 'attempt-2', '2e000000-0000-4000-8000-000000000000', 'unknown', 'Anna van den Oetelaar-de Vries',
      now(), null, null, null, null, '{}'),
    ('WEB-2026-000504', 'b', 'attempt-5', '5e000000-0000-4000-8000-000000000000', 'claimed', null, now(), null, null, null, null, '{}')`)
  await run(`insert into packbench.conflicts (kind, reference, shipment, station, barcodes, taken_at, other_shipment, other_station,
      other_barcodes, other_taken_at) values
    ('both-shipped', 'WEB-2026-000503', 'one', 'b', array['3SPACK000000503'], now(), 'other', 'c', array['3SPACK000000999'], now()),
    ('not-found-after-all', 'WEB-2026-000499', 'three', 'b', '{}', now(), 'four', 'c', array['3SPACK000000499'], now())`)
}

it('the window shows the state of the fleet, its stations, holds and conflicts, and which station holds which order', async () => {
  const folder = await temporaryFolder()
  const simulator = await testSimulator()
  const { station: _, ...fleet } = await postgres().newFleet()
  const provisioning = {
    ...stationProvisioning(simulator.baseUrl),
    fleet: { ...fleet, station: 'Packing bench 1 beside the door', password: postgresPassword },
  }
  const { app, page, complaints } = await launch(join(folder, 'data'), [
    await provisionSwitch(folder, provisioning),
  ])
  const state = () =>
    page.evaluate(async () => {
      const fleet = await window.packbench.getFleet(undefined)
      return fleet.ok ? fleet.value.status : null
    })
  await expect.poll(state).toMatchObject({ state: 'joined', backlog: 0 })
  await fillFleet(fleet.database)

  await importOrders(page)
  await expect
    .poll(() => postgres().query('select id from packbench.orders', [], fleet.database))
    .toHaveLength(2)
  await postgres().query(
    `insert into packbench.order_leases (order_id, station, operator, is_batch, lease_until)
     select id, 'b', 'Anna van den Oetelaar-de Vries', false, now() + interval '1 hour' from packbench.orders
     where reference = 'WEB-2026-000601'`,
    [],
    fleet.database,
  )

  const found: string[] = []
  const change = (settings: SettingsChange) =>
    page.evaluate((each) => window.packbench.changeSettings(each), settings)
  for (const [language, appearance] of [
    ['en', 'light'],
    ['nl', 'dark'],
  ] as const) {
    const { t } = createTranslator(language)
    const look = async (what: string) => {
      found.push(...(await misfits(app, page, `fleet ${language} ${what}`)))
      await resize(app, page, usualSize)
      found.push(...(await axeFindings(page)).map((finding) => `${language} ${what}: ${finding}`))
    }
    await change({ language, appearance })
    await page.locator(`html[lang="${language}"]`).waitFor()
    for (const notice of (await page.getByRole('button', { name: t('common.dismiss') }).all()).toReversed())
      await notice.click()

    await page.getByRole('button', { name: t('fleet.barConflicts', { count: 2 }) }).click()
    await page.getByText('Mezzanine').waitFor()
    await look('Settings')
    await page.emulateMedia({ forcedColors: 'active' })
    await picture(page, `fleet-${language}-forced-colours`)
    await page.emulateMedia({ forcedColors: null })

    await page.getByRole('button', { name: t('fleet.resolveHold', { reference: 'WEB-2026-000502' }) }).click()
    await page.getByRole('heading', { level: 2, name: 'WEB-2026-000502' }).waitFor()
    await look('History of all stations')

    await page.keyboard.press('Control+1')
    const reference = page.locator('input[data-field="reference"]')
    await reference.fill('WEB-2026-000501')
    await reference.press('Tab')
    await page.getByText('3SPACK000000501').first().waitFor()
    await look('Ship, shipped at another station')
    await reference.fill('')

    await page.keyboard.press('F3')
    await page.getByTestId('order-row').first().waitFor()
    await page
      .getByTestId('order-row')
      .filter({ hasText: 'WEB-2026-000601' })
      .getByRole('button')
      .first()
      .click()
    await page.getByRole('complementary').waitFor()
    await look('Orders, one of which another station has')

    await page.keyboard.press('Control+1')
    await reference.fill('WEB-2026-000601')
    await reference.press('Tab')
    await page.getByRole('dialog').waitFor()
    await look('Ship, an order that another station has')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await reference.fill('')
  }
  expect(found).toEqual([])
  expect(complaints).toEqual([])
}, 300_000)

async function importOrders(page: Page): Promise<void> {
  const rows = ['WEB-2026-000601', 'WEB-2026-000602'].map((reference) => orderRow(reference))
  const csv = [header, ...rows].join('\n')
  await page.keyboard.press('F3')
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
  const { t } = createTranslator('en')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: t('orders.take', { count: 2 }) })
    .click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}
