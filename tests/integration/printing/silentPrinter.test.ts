import type { TcpNetConnectOpts } from 'node:net'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createSocketDriver } from '../../../src/main/printing/drivers/socket'
import { socketPrinterSchema } from '../../../src/shared/printing'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelWith } from '../../support/printing/labels'
import { contextFor, staysOpen } from '../../support/printing/printContext'
import { startZplMachine } from '../../support/printing/zplMachine'

/** Whether connections get no answer, as from the address of a printer that is off, and how many were begun. */
const network = vi.hoisted(
  (): { isSilent: boolean; attempts: number; next?: 'silent' | 'closed' | 'refused' } => ({
    isSilent: false,
    attempts: 0,
  }),
)
vi.mock('node:net', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:net')>()
  const connect = (options: TcpNetConnectOpts) => {
    network.attempts += 1
    const { next } = network
    delete network.next
    if (next === 'silent') return new original.Socket()
    if (next === 'refused') return original.connect({ ...options, port: 1 })
    if (next === 'closed') {
      const socket = original.connect(options)
      return socket.once('connect', () => socket.destroy())
    }
    return network.isSilent ? new original.Socket() : original.connect(options)
  }
  return { ...original, connect }
})

const rasterizer = createInlineRasterizer()
const waits = { connect: 500, connectBriefly: 50, retries: [20], release: 0 }
const unreachable = {
  ...{ kind: 'failed', nothingPrinted: true },
  error: { code: 'printer-unreachable', says: [{ code: 'no-answer-in-time' }] },
}

beforeEach(() => Object.assign(network, { isSilent: true, attempts: 0 }))

async function createPrinter(change = {}) {
  const machine = await startZplMachine()
  const printer = socketPrinterSchema.parse({
    ...{ id: 'zebra', driver: 'socket', host: '127.0.0.1', port: machine.port },
  })
  const driver = createSocketDriver(rasterizer, { ...waits, ...change })
  const label = labelWith({ kind: 'zpl', bytes: Buffer.from('^XA^FO1,1^FDparcel^FS^XZ') })
  /** Prints a label with a standby. @returns its outcome, the attempts to connect, and the time in milliseconds */
  const print = async (context = {}) => {
    const before = network.attempts
    const begunAt = performance.now()
    const outcome = await driver.print(
      { ...contextFor(printer, label), hasStandby: true, ...context },
      staysOpen,
    )
    return { outcome, attempts: network.attempts - before, ms: performance.now() - begunAt }
  }
  return { machine, driver, printer, print }
}

describe('a network printer that is off', () => {
  it('makes only the first label wait before it goes to the standby', async () => {
    const connect = 2000
    const { print } = await createPrinter({ connect })
    const first = await print()
    expect(first).toMatchObject({ outcome: unreachable, attempts: 2 })
    const second = await print()
    expect(second).toMatchObject({ outcome: unreachable, attempts: 1 })
    expect(second.ms).toBeLessThan(connect)
  })

  it('prints the next label as soon as it is back', async () => {
    const { machine, print } = await createPrinter()
    await print()
    network.isSilent = false
    expect(await print()).toMatchObject({ outcome: { kind: 'handed-over' }, attempts: 1 })
    expect(machine.printed).toHaveLength(1)
  })

  it('is tried again when it is back and closes or refuses the first connection', async () => {
    for (const answer of ['closed', 'refused'] as const) {
      const { print } = await createPrinter()
      network.isSilent = true
      await print()
      network.isSilent = false
      network.next = answer
      expect(await print()).toMatchObject({ outcome: { kind: 'handed-over' }, attempts: 2 })
    }
  })

  it.each(['closed', 'refused'] as const)(
    'gets an attempt of full length after one that it %s',
    async (answer) => {
      const connect = 800
      const { print } = await createPrinter({ connect })
      await print()
      network.next = answer
      const { outcome, attempts, ms } = await print()
      expect({ outcome, attempts }).toMatchObject({ outcome: unreachable, attempts: 2 })
      expect(ms).toBeGreaterThan(connect - 100)
    },
  )

  it('keeps a label if only one attempt of a poll got no answer, as when it served another station', async () => {
    const { machine, driver, printer, print } = await createPrinter()
    expect(await driver.pollStatus?.(printer, staysOpen)).toMatchObject({ kind: 'unreachable' })
    network.isSilent = false
    network.next = 'silent'
    expect(await print()).toMatchObject({ outcome: { kind: 'handed-over' }, attempts: 2 })
    expect(machine.printed).toHaveLength(1)
  })

  it('is known to be off after the two attempts of a poll', async () => {
    const { driver, printer, print } = await createPrinter()
    for (let attempt = 0; attempt < 2; attempt += 1) await driver.pollStatus?.(printer, staysOpen)
    expect(await print()).toMatchObject({ outcome: unreachable, attempts: 1 })
  })

  it('gets all attempts after a poll that reached it', async () => {
    const { driver, printer, print } = await createPrinter()
    await print()
    network.isSilent = false
    expect(await driver.pollStatus?.(printer, staysOpen)).toMatchObject({ kind: 'reports' })
    network.isSilent = true
    expect(await print()).toMatchObject({ outcome: unreachable, attempts: 2 })
  })

  it('gets all attempts if nothing was tried lately, no standby is set, or the label is a test', async () => {
    const forgetful = await createPrinter({ silence: 0 })
    const { print } = await createPrinter()
    await Promise.all([forgetful.print(), print()])
    expect(await forgetful.print()).toMatchObject({ outcome: unreachable, attempts: 2 })
    expect(await print({ hasStandby: false })).toMatchObject({ outcome: unreachable, attempts: 2 })
    expect(await print({ isTest: true })).toMatchObject({ outcome: unreachable, attempts: 2 })
  })

  it('is not taken for off because a label was cancelled while it was connected', async () => {
    const { print } = await createPrinter()
    const cancelling = new AbortController()
    const cancelled = print({ cancelled: cancelling.signal })
    await vi.waitFor(() => expect(network.attempts).toBe(1))
    cancelling.abort()
    expect(await cancelled).toMatchObject({ outcome: { kind: 'cancelled' } })
    expect(await print()).toMatchObject({ outcome: unreachable, attempts: 2 })
  })
})
