import { open, stat } from 'node:fs/promises'
import { _electron } from 'playwright'
import { repoDir } from './paths.mjs'
import { done, failed, say, words } from './report.mjs'

/** Time limit of a step, in milliseconds. */
const stepLimitMs = 30_000

/** A real address; the demo sends it only to the simulator. */
const consignee = {
  'First name': 'Anna',
  'Last name': 'de Vries',
  Street: 'Damrak',
  'House number': '1',
  'Postal code': '1012 LG',
  City: 'Amsterdam',
  'Weight (kg)': '1.25',
}

/**
 * Creates one shipment in the running app by keyboard and screen, as an operator would, and prints what happened.
 * @param {{ binary: string, switches: readonly string[], env: NodeJS.ProcessEnv }} options `binary`: Electron's
 * @returns {Promise<import('./report.mjs').Outcome<undefined>>}
 */
export async function walkThrough({ binary, switches, env }) {
  let app
  try {
    app = await _electron.launch({
      executablePath: binary,
      args: [repoDir, ...switches],
      env: definedOnly(env),
      timeout: stepLimitMs,
    })
  } catch (error) {
    return failed(`The app did not start (is another demo running?): ${findStartFailure(words(error))}`)
  }
  try {
    return await walk(app)
  } catch (error) {
    return failed(`The walk-through stopped: ${firstLine(error)}`)
  } finally {
    await app.close()
  }
}

/**
 * @param {import('playwright').ElectronApplication} app
 * @returns {Promise<import('./report.mjs').Outcome<undefined>>}
 */
async function walk(app) {
  const page = await app.firstWindow()
  page.setDefaultTimeout(stepLimitMs)
  await page.locator('html[data-ready="true"]').waitFor()
  const version = await app.evaluate(() => process.versions.electron)
  say(`app started     Electron ${version}`)
  const address = 'window.packbench.getAppStatus(undefined).then(({ value }) => value.simulatorUrl)'
  say(`simulator       ${await page.evaluate(address)}`)

  const reference = `DEMO-${Date.now().toString(36).toUpperCase()}`
  await createShipment(page, reference)
  const outcome = page.getByTestId('outcome')
  await page
    .locator(
      '[data-testid="outcome"]:is([data-state="created"], [data-state="refused"], [data-state="unknown"])',
    )
    .waitFor()
  if ((await outcome.getAttribute('data-state')) !== 'created') {
    return failed(`The shipment was not created: ${firstLine(await toText(outcome))}`)
  }
  const barcode = await outcome.getAttribute('data-barcode')
  if (!barcode) return failed('The shipment was created without a barcode.')
  say(`shipment        ${reference}`)
  say(`barcode         ${barcode}`)

  const label = await printedLabel(page)
  if (!label.ok) return label
  say(`label           ${label.value.file} (${label.value.bytes} bytes, PDF)`)
  say(`tracking        ${await lastStatus(page, barcode)}`)
  say('The demo created one shipment, from the form to the printed label.')
  return done(undefined)
}

/**
 * @param {import('playwright').Page} page
 * @param {string} reference
 */
async function createShipment(page, reference) {
  await page.getByRole('button', { name: 'Ship', exact: true }).click()
  for (const [label, value] of Object.entries({ Reference: reference, ...consignee })) {
    await page.getByLabel(label, { exact: true }).fill(value)
  }
  await page.keyboard.press('F9')
}

/**
 * Waits until the label is printed and checks the resulting file.
 * @param {import('playwright').Page} page
 * @returns {Promise<import('./report.mjs').Outcome<{ file: string, bytes: number }>>}
 */
async function printedLabel(page) {
  const job = page.getByTestId('job').and(page.locator('[data-state="done"], [data-state="failed"]')).first()
  await job.waitFor()
  const file = await job.getAttribute('data-file')
  if ((await job.getAttribute('data-state')) !== 'done' || !file) {
    return failed(`The label was not printed: ${firstLine(await toText(job))}`)
  }
  const handle = await open(file)
  try {
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    if (buffer.toString('latin1') !== '%PDF') return failed(`The label file ${file} is not a PDF.`)
  } finally {
    await handle.close()
  }
  return done({ file, bytes: (await stat(file)).size })
}

/**
 * @param {import('playwright').Page} page
 * @param {string} barcode
 * @returns {Promise<string>} the last status that the Track screen shows
 */
async function lastStatus(page, barcode) {
  await page.getByRole('button', { name: 'Track', exact: true }).click()
  await page.getByLabel('Tracking code', { exact: true }).fill(barcode)
  await page.getByRole('button', { name: 'Look up', exact: true }).click()
  const status = page.getByTestId('track-status').filter({ hasText: /\S/ })
  return toText(status)
}

/**
 * @param {import('playwright').Locator} place
 * @returns {Promise<string>}
 */
async function toText(place) {
  return ((await place.textContent()) ?? '').trim()
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Record<string, string>}
 */
function definedOnly(env) {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/**
 * Extracts Electron's reason for exiting from Playwright's report of a failed start.
 * @param {string} report
 * @returns {string}
 */
export function findStartFailure(report) {
  const said =
    /^.*?\[err\] (?:\[\S*:)?(.*(?:FATAL|error while loading|could not be loaded|Missing X server).*)$/m.exec(
      report,
    )
  return said?.[1] ?? firstLine(report)
}

/**
 * @param {unknown} thrown
 * @returns {string}
 */
function firstLine(thrown) {
  return words(thrown).trim().split('\n')[0] ?? ''
}
