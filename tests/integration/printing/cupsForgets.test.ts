import { describe, expect, it, vi } from 'vitest'
import { findPrintServer } from '../../../src/main/printing/cups/cupsQueue'
import { askPrintServer, groupTag } from '../../../src/main/printing/cups/ipp'
import { createCupsDriver } from '../../../src/main/printing/drivers/cups'
import { hasCups } from '../../support/cups/privateCups'
import { systemPrinter, useCups } from '../../support/cups/useCups'
import { startByteSink } from '../../support/printing/byteSink'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelWith, markedPdf } from '../../support/printing/labels'
import { contextFor, staysOpen } from '../../support/printing/printContext'

const driver = createCupsDriver(createInlineRasterizer())
const patient = { timeout: 40_000, interval: 20 }
const getSubscriptions = 0x0019

const zplLabel = () => labelWith({ kind: 'zpl', bytes: Buffer.from('^XA^FO10,10^FDHello^FS^XZ') })

/** The number of subscriptions that the private CUPS holds. */
async function countSubscriptions(): Promise<number> {
  const found = await findPrintServer()
  if (!found.ok) throw new Error('there is no print server')
  const server = found.value
  const root = { name: 'printer-uri', tag: 0x45, values: ['ipp://localhost/'] }
  const answer = await askPrintServer(server, { operation: getSubscriptions, target: [root] })
  return answer.ok ? answer.value.groups.filter(({ tag }) => tag === groupTag.subscription).length : 0
}

describe.runIf(hasCups())('a print server that forgets a job as soon as it ends', () => {
  const cups = useCups({ forgetsJobs: true })
  const { printerWithQueue } = cups

  it('still confirms that a job was handed over', async () => {
    const { fake, queue } = await printerWithQueue()
    for (const printed of [1, 2, 3]) {
      const context = contextFor(systemPrinter(queue), labelWith({ bytes: await markedPdf() }))
      expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
      expect(fake.jobs).toHaveLength(printed)
    }
    expect(await cups.server().run('lpstat', '-W', 'completed', '-o', queue)).toBe('')
    await expect.poll(countSubscriptions).toBe(0)
  })

  it('reports a label as failed when the backend gives up its job', async () => {
    const sink = await startByteSink()
    const queue = 'GIVES-UP'
    await cups.server().addRawQueue(queue, `socket://127.0.0.1:${sink.port}/?contimeout=1`)
    await cups.server().run('/usr/sbin/lpadmin', '-p', queue, '-o', 'printer-error-policy=abort-job')
    await cups.server().run('/usr/sbin/lpadmin', '-p', queue, '-v', 'socket://127.0.0.1:1/?contimeout=1')
    const outcome = await driver.print(contextFor(systemPrinter(queue), zplLabel()), staysOpen)
    expect(outcome).toMatchObject({
      kind: 'failed',
      nothingPrinted: false,
      error: { code: 'printer-failed', says: expect.arrayContaining([{ code: 'given-up' }]) },
    })
    await expect.poll(countSubscriptions).toBe(0)
  })

  it.each([
    ['that waits', false],
    ['that is being sent', true],
  ])('reports a label as failed when someone cancels a job %s', async (_, isSent) => {
    const { fake, queue } = await printerWithQueue()
    if (isSent) fake.pause('media-empty')
    else await cups.server().run('/usr/sbin/cupsdisable', queue)
    const context = contextFor(systemPrinter(queue), labelWith({ bytes: await markedPdf() }))
    const printed = driver.print(context, staysOpen)
    await vi.waitFor(() => expect(context.notes).not.toEqual([]), patient)
    expect(await countSubscriptions()).toBe(1)
    await cups.server().run('cancel', '-a', queue)
    expect(await printed).toMatchObject({
      kind: 'failed',
      nothingPrinted: false,
      error: { code: 'printer-failed', says: expect.arrayContaining([{ code: 'cancelled-in-queue' }]) },
    })
    expect(fake.jobs).toHaveLength(isSent ? 1 : 0)
    await expect.poll(countSubscriptions).toBe(0)
  })

  it('keeps no subscription for a label that the queue cannot print', async () => {
    const { queue } = await printerWithQueue()
    const context = contextFor(systemPrinter(queue), zplLabel())
    expect(await driver.print(context, staysOpen)).toMatchObject({ error: { code: 'printer-takes-no-zpl' } })
    await expect.poll(countSubscriptions).toBe(0)
  })
})

describe.runIf(hasCups())('a print server that forgets jobs and refuses subscriptions', () => {
  const cups = useCups({ forgetsJobs: true, refusesSubscriptions: true })

  it('leaves a label unconfirmed and receives it only once', async () => {
    const { fake, queue } = await cups.printerWithQueue()
    const context = contextFor(systemPrinter(queue), labelWith({ bytes: await markedPdf() }))
    expect(await driver.print(context, staysOpen)).toMatchObject({
      kind: 'unconfirmed',
      error: { says: [{ code: 'job-not-known' }] },
    })
    expect(fake.jobs).toHaveLength(1)
  })
})
