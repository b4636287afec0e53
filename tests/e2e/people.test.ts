import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { axeFindings } from './support/accessibility'
import { launch } from './support/drivenApp'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { fillShipment, open, outcome, picture, printed } from './support/screens'

it('an operator ships after scanning a badge, and calls that the PIN guards are refused without it', async () => {
  const folder = await temporaryFolder()
  const simulator = await testSimulator()
  const provision = await provisionSwitch(folder, {
    ...stationProvisioning(simulator.baseUrl),
    people: {
      operators: [{ name: 'Ann de Boer', badge: 'B-001' }, { name: 'Bob' }],
      isRequired: true,
      pinEnv: 'STATION_PIN',
    },
  })
  const data = join(folder, 'data')
  const { page, complaints } = await launch(data, [provision], { STATION_PIN: '4711' })

  // This station requires an operator, so the app asks for one at the start.
  const who = page.getByRole('dialog', { name: 'Who is packing?' })
  await who.waitFor()
  expect(await axeFindings(page)).toEqual([])
  await picture(page, 'people-who')
  await who.getByRole('button', { name: 'Cancel' }).click()

  // Without an operator nothing is sent; signing in then sends the filled-in shipment.
  await fillShipment(page, { Reference: 'ORDER-1' })
  await page.keyboard.press('F9')
  await who.waitFor()
  expect(simulator.requests.filter(({ operation }) => operation === 'shipment')).toHaveLength(0)
  await page.keyboard.type('B-001')
  await page.keyboard.press('Enter')
  await outcome(page, 'created')
  await printed(page)
  await page.getByRole('button', { name: 'Ann de Boer' }).waitFor()

  await page.keyboard.press('F6')
  await who.getByRole('button', { name: 'Bob' }).click()
  await page.getByRole('button', { name: 'Bob' }).waitFor()
  await open(page, 'History')
  await page.getByTestId('shipment-row').first().click()
  await page.getByRole('definition').filter({ hasText: 'Ann de Boer' }).waitFor()
  await picture(page, 'people-history')

  // A script in the window calls the bridge directly: main refuses calls that need the PIN.
  const attack = await page.evaluate(async () => [
    await window.packbench.changeSettings({ language: 'nl' }),
    await window.packbench.setPin({ pin: null }),
    await window.packbench.forgetAccount(undefined),
  ])
  expect(attack).toMatchObject(attack.map(() => ({ ok: false, error: { code: 'pin-required' } })))

  await open(page, 'Settings')
  await page.getByRole('tab', { name: 'People' }).click()
  await page.getByLabel('A typed PIN holds for (minutes)').fill('20')
  expect(await axeFindings(page)).toEqual([])
  await picture(page, 'people-tab')
  await page.getByRole('button', { name: 'Save' }).click()
  const prompt = page.getByRole('dialog', { name: 'Administrator’s PIN' })
  await prompt.waitFor()
  await page.keyboard.type('0815')
  await page.keyboard.press('Enter')
  await prompt.getByRole('alert').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await picture(page, 'people-pin')
  await page.keyboard.type('4711')
  await page.keyboard.press('Enter')
  await page.getByText('Saved').waitFor()
  await page.getByRole('button', { name: 'PIN typed' }).click()
  await page.getByRole('button', { name: 'PIN typed' }).waitFor({ state: 'detached' })

  const kept = await Promise.all(
    ['settings.json', 'pin.json', join('logs', 'packbench.log')].map((name) =>
      readFile(join(data, name), 'utf8'),
    ),
  )
  expect(kept.join('\n')).not.toContain('4711')
  expect(complaints).toEqual([])
})
