import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright'
import type { Fault } from '../../src/simulator/faults'
import { fillShipment } from '../e2e/support/screens'
import { answeringPrinter } from '../support/printing/zplPrinter'
import { inApp } from './appWindow'
import { bareShipments } from './bareShipments'
import { type Figure, inFolder, listen, type Parts, quantile, round, simulatorProcess } from './bench'

const run = promisify(execFile)
const rounds = 20

/** The time from the key press that ships an order to the last byte of its label at the printer, in the real app. */
export const parts: Parts = {
  zpl: () => measureKey('zpl', { shipment: { kind: 'zplLabel' } }),
  pdf: () => measureKey('pdf', {}),
}

async function* measureKey(kind: 'zpl' | 'pdf', faults: { shipment?: Fault }): AsyncGenerator<Figure> {
  const simulator = await simulatorProcess(faults)
  let seen: (at: number) => void = () => undefined
  const nextLabel = () =>
    new Promise<number>((resolve) => {
      seen = resolve
    })
  const printer = await listen((socket) => {
    let tail = ''
    answeringPrinter(
      () => ({}),
      () => undefined,
    )(socket)
    socket.on('data', (part) => {
      tail = (tail + part.toString('latin1')).slice(-200)
      if (tail.includes('^XZ')) {
        tail = ''
        seen(performance.timeOrigin + performance.now())
      }
    })
  })
  try {
    yield* await inFolder(async (folder) => {
      const bare = await bareShipments(simulator.baseUrl, folder)
      const shipBare = async (reference: string) => {
        const startedAt = performance.timeOrigin + performance.now()
        const arrived = nextLabel()
        const label = await bare.ship(reference)
        const zpl = kind === 'zpl' ? label : await drawBare(label, join(folder, 'label.pdf'))
        const socket = connect({ host: '127.0.0.1', port: printer.port, noDelay: true }, () =>
          socket.end(zpl),
        )
        return (await arrived) - startedAt
      }
      const measure = async ({ page }: { page: Page }) => {
        const [own, reference]: [number[], number[]] = [[], []]
        await watchKey(page)
        for (let round = -1; round < rounds; round += 1) {
          await fillShipment(page, { Reference: toReference(round) })
          const arrived = nextLabel()
          await page.keyboard.press('F9')
          const arrivedAt = await arrived
          const created = page.locator('[data-testid="outcome"][data-state="created"]')
          await created.filter({ hasText: toReference(round) }).waitFor()
          const pressedAt = await page.evaluate((): number => Reflect.get(window, 'benchPressedAt'))
          const bareMs = await shipBare(`BARE-${round}`)
          if (round < 0) continue
          own.push(arrivedAt - pressedAt)
          reference.push(bareMs)
        }
        await bare.close()
        return [
          {
            name: `F9 to the last byte at the printer, ${kind.toUpperCase()} label, median of ${rounds}`,
            ...{ value: round(quantile(own, 0.5)), unit: 'ms' },
            reference: { name: 'a bare script: post, decode, fsync, send', value: quantile(reference, 0.5) },
            note: `p95 ${round(quantile(own, 0.95))} ms; a service of 0 ms, a printer that answers`,
          },
        ]
      }
      const zebra = { id: 'z', driver: 'socket', host: '127.0.0.1', port: printer.port }
      return inApp(folder, simulator.baseUrl, measure, { printers: [zebra], routing: [{ printer: 'z' }] })
    })
  } finally {
    await printer.close()
    simulator.stop()
  }
}

/** A reference that is not contained in another one. */
function toReference(round: number): string {
  return `KEY-${String(round + 1).padStart(3, '0')}`
}

/** Records in the window when F9 was pressed, in milliseconds since 1970. */
async function watchKey(page: Page): Promise<void> {
  await page.evaluate(() => {
    const note = ({ key, timeStamp }: KeyboardEvent) => {
      if (key === 'F9') Reflect.set(window, 'benchPressedAt', performance.timeOrigin + timeStamp)
    }
    window.addEventListener('keydown', note, { capture: true })
  })
}

async function drawBare(pdf: Buffer, file: string): Promise<Buffer> {
  await writeFile(file, pdf)
  const drawn = await run('pdftoppm', ['-r', '203', '-mono', file], { encoding: 'buffer', maxBuffer: 1e8 })
  const hex = drawn.stdout.subarray(drawn.stdout.indexOf('\n', 3) + 1).toString('hex')
  return Buffer.from(`^XA^GFA,${hex.length / 2},${hex.length / 2},100,${hex}^FS^XZ`)
}
