import { appendFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sharedByTests } from '../support/lifetime'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { launch } from './support/drivenApp'
import { startPlain } from './support/electron'
import { provisionSwitch, stationProvisioning } from './support/provisioned'

const resultSchema = z.object({
  file: z.string(),
  results: z.array(
    z.object({
      line: z.number(),
      reference: z.string().nullable(),
      outcome: z.enum(['created', 'refused', 'unknown', 'invalid', 'duplicate']),
      barcodes: z.array(z.string()),
      jobs: z.array(z.object({ printer: z.string(), state: z.string(), error: z.unknown() })),
      error: z.object({ code: z.string(), message: z.string() }).nullable(),
      at: z.record(z.string(), z.string().nullable()),
    }),
  ),
})

function order(reference: string, change: object = {}) {
  return {
    reference,
    first_name: 'Jannie',
    last_name: 'de Vries',
    street: 'Keizersgracht',
    house_number: '12A',
    postal_code: '1015 CJ',
    city: 'Amsterdam',
    ...change,
  }
}

async function hiddenStation(change: object = {}) {
  const folder = await temporaryFolder()
  const data = join(folder, 'data')
  const exchange = join(folder, 'exchange')
  const simulator = await testSimulator()
  const provision = await provisionSwitch(folder, {
    ...stationProvisioning(simulator.baseUrl),
    hotFolder: { path: exchange, print: true },
    ...change,
  })
  const start = () => startPlain(data, ['--hidden', provision])
  const app = start()
  await expect.poll(() => readdir(exchange).catch(() => [])).toContain('failed')
  const inbox = join(exchange, 'in')
  return {
    data,
    exchange,
    inbox,
    simulator,
    app,
    start,
    /** Starts another station with its own data folder on the same hot folder; returns a function that reads its log. */
    startAnother() {
      const other = join(folder, 'other data')
      startPlain(other, ['--hidden', provision])
      return () => readFile(join(other, 'logs', 'packbench.log'), 'utf8').catch(() => '')
    },
    /** Puts a file into `in/` as a careful program does: writes it elsewhere and renames it into place. */
    async drop(name: string, content: string) {
      await writeFile(join(exchange, name), content)
      await rename(join(exchange, name), join(inbox, name))
    },
    async printedLabels() {
      const files = await readdir(join(data, 'out')).catch(() => [])
      return files.filter((name) => name.endsWith('.pdf'))
    },
    /** The result of an order file, in `done/` or `failed/`. */
    async resultAnywhere(name: string) {
      const read = async () => {
        const texts = await Promise.all(
          ['done', 'failed'].map((place) =>
            readFile(join(exchange, place, `${name}.result.json`), 'utf8').catch(() => undefined),
          ),
        )
        return texts.find((text) => text !== undefined)
      }
      await expect.poll(read).toBeDefined()
      return resultSchema.parse(JSON.parse((await read()) ?? ''))
    },
    /** Waits for the result of an order file in the given folder. */
    async result(place: 'done' | 'failed', name: string) {
      const path = join(exchange, place, `${name}.result.json`)
      await expect.poll(() => readFile(path, 'utf8').catch(() => undefined)).toBeDefined()
      return resultSchema.parse(JSON.parse(await readFile(path, 'utf8')))
    },
  }
}

describe('the hot folder of a hidden station', () => {
  const shared = sharedByTests(async () => {
    const made = await hiddenStation()
    return { made, renew: async () => made.simulator.faults.clear() }
  })

  it('ships an order, prints its label and reports it with timestamps', async () => {
    const station = await shared()
    const printedBefore = await station.printedLabels()
    await station.drop('A.json', JSON.stringify(order('ORDER-1', { number_of_packages: 2 })))
    const result = await station.result('done', 'A')
    expect(result).toMatchObject({
      file: 'A.json',
      results: [
        {
          line: 1,
          reference: 'ORDER-1',
          outcome: 'created',
          jobs: [
            { printer: 'file', state: 'done', error: null },
            { printer: 'file', state: 'done', error: null },
          ],
          error: null,
        },
      ],
    })
    const [first] = result.results
    expect(first?.barcodes).toHaveLength(2)
    const { taken, requestSent, responseReceived, labelStored, printerAccepted } = first?.at ?? {}
    const times = [taken, requestSent, responseReceived, labelStored, printerAccepted]
    expect(times.map((time) => new Date(time ?? '').toISOString())).toEqual(times)
    expect([...times].sort()).toEqual(times)
    expect(await readdir(join(station.exchange, 'done'))).toEqual(expect.arrayContaining(['A.json']))
    expect(await station.printedLabels()).toHaveLength(printedBefore.length + 2)
    expect(station.simulator.deviations()).toEqual([])
  })

  it('separates valid, invalid and duplicate orders of one file, and continues with the others', async () => {
    const station = await shared()
    await station.drop('first.json', JSON.stringify(order('MIXED-1')))
    await station.result('done', 'first')
    const csv = [
      'reference;last_name;street;house_number;city;country;weight',
      'MIXED-2;Jansen;Damrak;1;Amsterdam;NL;1.5',
      'MIXED-1;de Vries;Keizersgracht;12A;Amsterdam;NL;1',
      'MIXED-3;Peeters;Meir;7;Antwerpen;Belgium;1',
      'REFUSE-4;Jansen;Damrak;1;Amsterdam;NL;1.5',
    ]
    await station.drop('batch.csv', csv.join('\r\n'))
    const { results } = await station.result('failed', 'batch')
    expect(results.map((each) => [each.line, each.reference, each.outcome])).toEqual([
      [1, 'MIXED-2', 'created'],
      [2, 'MIXED-1', 'duplicate'],
      [3, 'MIXED-3', 'invalid'],
      [4, 'REFUSE-4', 'refused'],
    ])
    expect(results[2]?.error?.message).toContain('country')
    expect(station.simulator.ledger.listByReference('MIXED-1')).toHaveLength(1)
  })

  it('waits for a file that is still being written', async () => {
    const station = await shared()
    const text = JSON.stringify([order('SLOW-1'), order('SLOW-2')])
    const path = join(station.inbox, 'slow.json')
    for (const piece of text.match(/.{1,40}/gs) ?? []) {
      await appendFile(path, piece)
      // This pause simulates a slow writer; the app has to wait for it.
      await new Promise((resolve) => setTimeout(resolve, 60))
      expect(await readdir(join(station.exchange, 'work'))).toEqual([])
    }
    const { results } = await station.result('done', 'slow')
    expect(results.map((each) => each.outcome)).toEqual(['created', 'created'])
  })

  it('reports an unreadable file, and leaves files of other types in in/', async () => {
    const station = await shared()
    const sentBefore = station.simulator.ledger.entries.length
    await writeFile(join(station.inbox, 'readme.txt'), 'not an order')
    await station.drop('broken.json', '{"reference": "BROKEN-1",')
    const { results } = await station.result('failed', 'broken')
    expect(results).toMatchObject([{ outcome: 'invalid', error: { code: 'order-file-invalid' } }])
    expect(await readdir(station.inbox)).toEqual(['readme.txt'])
    expect(station.simulator.ledger.entries).toHaveLength(sentBefore)
  })

  it('reports an order as unknown when the answer was lost, and does not send it again', async () => {
    const station = await shared()
    station.simulator.faults.add({ operation: 'shipment', fault: { kind: 'resetAfterReading' }, times: 1 })
    await station.drop('lost.json', JSON.stringify(order('LOST-1')))
    expect((await station.result('failed', 'lost')).results).toMatchObject([{ outcome: 'unknown' }])
    await station.drop('again.json', JSON.stringify(order('LOST-1')))
    expect((await station.result('failed', 'again')).results).toMatchObject([{ outcome: 'unknown' }])
    expect(station.simulator.ledger.listByReference('LOST-1')).toHaveLength(1)
  })

  it('finishes a file after a SIGKILL, and sends each order at most once', async () => {
    const station = await hiddenStation()
    const references = Array.from({ length: 12 }, (_, index) => `ORDER-${index + 1}`)
    station.simulator.faults.add({
      operation: 'shipment',
      fault: { kind: 'hangAfterReading' },
      reference: 'ORDER-6',
    })
    await station.drop('batch.json', JSON.stringify(references.map((reference) => order(reference))))
    await expect.poll(() => station.simulator.ledger.listByReference('ORDER-6').length).toBe(1)
    // A label in transfer to the printer at the kill would correctly become unconfirmed and wait for a person.
    await expect.poll(async () => (await station.printedLabels()).length).toBe(5)
    station.app.process.kill('SIGKILL')
    await station.app.ended
    station.start()
    const { results } = await station.result('failed', 'batch')
    expect(results.map((each) => [each.reference, each.outcome])).toEqual(
      references.map((reference) => [reference, reference === 'ORDER-6' ? 'unknown' : 'created']),
    )
    for (const reference of references) {
      expect([reference, station.simulator.ledger.listByReference(reference).length]).toEqual([reference, 1])
    }
    expect((await station.printedLabels()).map((name) => name.split('-3S')[0]).sort()).toEqual(
      references.filter((reference) => reference !== 'ORDER-6').sort(),
    )
  })
})

describe('two hidden stations on one hot folder', () => {
  it('send each order at most once, even if the first station is killed and restarts on the same folder', async () => {
    const station = await hiddenStation()
    const logOfOther = station.startAnother()
    await expect.poll(logOfOther).toContain('hot-folder-taken')
    const references = Array.from({ length: 10 }, (_, index) => `TWO-${index + 1}`)
    station.simulator.faults.add({ operation: 'shipment', fault: { kind: 'slow', ms: 40 } })
    await station.drop('batch.json', JSON.stringify(references.map((reference) => order(reference))))
    await expect.poll(() => station.simulator.ledger.entries.length).toBeGreaterThan(4)
    station.app.process.kill('SIGKILL')
    await station.app.ended
    await station.drop('next.json', JSON.stringify(order('NEXT')))
    station.start()
    await station.result('done', 'next')
    const { results } = await station.resultAnywhere('batch')
    for (const { reference, outcome } of results) {
      const sent = station.simulator.ledger.listByReference(reference ?? '').length
      // The kill may have happened before the request was sent.
      expect([reference, sent]).toEqual([reference, outcome === 'unknown' ? Math.min(sent, 1) : 1])
    }
    expect(results.filter(({ outcome }) => outcome === 'unknown').length).toBeLessThanOrEqual(1)
    expect(station.simulator.ledger.listByReference('NEXT')).toHaveLength(1)
  })
})

describe('the status bar of a station with a hot folder', () => {
  it('says in the operator’s language why order files wait, and stops once they are processed', async () => {
    const folder = await temporaryFolder()
    const exchange = join(folder, 'exchange')
    await writeFile(exchange, 'a file where the folder should be')
    const simulator = await testSimulator()
    const station = {
      ...stationProvisioning(simulator.baseUrl),
      hotFolder: { path: exchange },
      language: 'nl',
    }
    const { page } = await launch(join(folder, 'data'), [await provisionSwitch(folder, station)])
    const footer = page.getByRole('contentinfo')
    await footer.getByText('Hot folder: storing').waitFor()
    expect(await footer.locator('[title*="De map"]').getAttribute('title')).toBe(
      `De map ${exchange} ontbreekt: zet hem terug of kies een andere hot folder onder Instellingen, Station. Orderbestanden wachten tot dan.`,
    )
    await rm(exchange)
    await footer.getByText('Hot folder', { exact: true }).waitFor()
    expect(await footer.locator('[title*="De map"]').count()).toBe(0)

    simulator.faults.add({ operation: 'shipment', fault: { kind: 'slow', ms: 1_500 }, times: 1 })
    await writeFile(join(exchange, 'A.json'), JSON.stringify(order('ORDER-1')))
    await rename(join(exchange, 'A.json'), join(exchange, 'in', 'A.json'))
    await footer.getByText('Hot folder · 1 bestand').waitFor()
    await footer.getByText('Hot folder', { exact: true }).waitFor()
  })
})

describe('repeated SIGKILLs of a hidden station', () => {
  it('leave unsent order files in in/, and each order is sent at most once', async () => {
    const station = await hiddenStation()
    station.simulator.faults.add({ operation: 'shipment', fault: { kind: 'slow', ms: 40 } })
    const references = Array.from({ length: 40 }, (_, index) => `BACKLOG-${String(index).padStart(2, '0')}`)
    let app = station.app
    app.process.kill('SIGKILL')
    await app.ended
    for (const reference of references)
      await station.drop(`${reference}.json`, JSON.stringify(order(reference)))
    const getPlaces = async () =>
      Promise.all(['in', 'work'].map((place) => readdir(join(station.exchange, place))))
    for (const sent of [0, 7, 15, 24]) {
      app = station.start()
      await expect.poll(() => station.simulator.ledger.entries.length).toBeGreaterThan(sent)
      app.process.kill('SIGKILL')
      await app.ended
      const [left = [], working = []] = await getPlaces()
      expect(working.length).toBeLessThanOrEqual(10)
      for (const name of left) {
        expect([name, station.simulator.ledger.listByReference(name.replace('.json', '')).length]).toEqual([
          name,
          0,
        ])
      }
    }
    station.start()
    await expect.poll(async () => (await getPlaces()).flat(), { timeout: 60_000 }).toEqual([])
    const outcomes = new Map<string, number>()
    for (const reference of references) {
      const { results } = await station.resultAnywhere(reference)
      const sent = station.simulator.ledger.listByReference(reference).length
      const outcome = results[0]?.outcome ?? ''
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      // The kill may have happened before the request was sent.
      expect([reference, sent]).toEqual([reference, outcome === 'unknown' ? Math.min(sent, 1) : 1])
    }
    expect(outcomes.get('unknown') ?? 0).toBeLessThanOrEqual(4)
    expect([...outcomes.keys()].filter((outcome) => outcome !== 'created' && outcome !== 'unknown')).toEqual(
      [],
    )
  })

  it('during one order file create each order at most once and lose none', async () => {
    const station = await hiddenStation()
    await mkdir(station.inbox, { recursive: true })
    const references = Array.from({ length: 30 }, (_, index) => `KILL-${index + 1}`)
    station.simulator.faults.add({ operation: 'shipment', fault: { kind: 'slow', ms: 40 } })
    await station.drop('batch.json', JSON.stringify(references.map((reference) => order(reference))))
    let app = station.app
    for (const sent of [3, 9, 17, 24]) {
      await expect
        .poll(() => station.simulator.ledger.entries.length, { timeout: 60_000 })
        .toBeGreaterThan(sent)
      app.process.kill('SIGKILL')
      await app.ended
      app = station.start()
    }
    const { results } = await station.resultAnywhere('batch')
    expect(results).toHaveLength(references.length)
    for (const { reference, outcome } of results) {
      const created = station.simulator.ledger
        .listByReference(reference ?? '')
        .filter((entry) => entry.created)
      expect([reference, created.length]).toEqual([reference, outcome === 'created' ? 1 : created.length])
      expect(created.length).toBeLessThanOrEqual(1)
      expect(['created', 'unknown']).toContain(outcome)
    }
  })
})
