import { appError } from '../../../shared/errors'
import type { PrinterRemark } from '../../../shared/printerRemarks'
import { sayInEnglish } from '../../../shared/printerRemarks'
import type { SocketPrinter } from '../../../shared/printing'
import type { Result } from '../../../shared/result'
import { ok } from '../../../shared/result'
import { planLabel } from '../labelPlan'
import type { Rasterizer } from '../raster/rasterizer'
import { zplLayoutOf } from '../raster/zpl'
import { nameOfPrinter } from '../routing'
import type { PrintContext, PrinterDriver, PrintOutcome } from './driver'
import { nothingPrinted } from './driver'
import { notReady } from './printerErrors'
import type { PrinterConnection } from './socketConnection'
import { openConnection, rest } from './socketConnection'
import type { SocketWaits } from './socketSending'
import { sendLabel, usualWaits } from './socketSending'
import { statusQuery } from './zplStatus'

/** A printer that told nothing is asked again after this, because someone may have set it up anew. */
const silentForMs = 10 * 60_000

type Context = PrintContext<SocketPrinter>

/** How a printer was found before anything of a label was sent to it. */
type Ready =
  | { kind: 'ready'; connection: PrinterConnection; labelsInside: number | undefined }
  | { kind: 'over'; outcome: PrintOutcome }

/**
 * Sends ZPL to a label printer's TCP port: ZPL labels as they are, PDFs drawn dot for dot. Before the first byte of a
 * label nothing can have been printed, so it is tried again and waited for; after it, a broken connection leaves it open
 * whether a label came out.
 */
export function createSocketDriver(
  rasterizer: Pick<Rasterizer, 'measure' | 'renderZpl'>,
  waits: SocketWaits = usualWaits,
): PrinterDriver<SocketPrinter> {
  const silentUntil = new Map<string, number>()

  async function makeReady(context: Context, signal: AbortSignal): Promise<Ready> {
    const opened = await openPatiently(context, waits, signal)
    if (opened.kind === 'over') return opened
    const address = addressOf(context.printer)
    if ((silentUntil.get(address) ?? 0) > Date.now()) return opened
    const ready = await waitUntilReady(opened.connection, context, { waits, signal })
    if (ready.kind === 'ready' && ready.labelsInside === undefined) {
      silentUntil.set(address, Date.now() + silentForMs)
    }
    return ready
  }

  return {
    cancellable: true,
    async print(context, signal) {
      const zpl = await zplOfLabel(context, rasterizer)
      if (signal.aborted) return { kind: 'not-started' }
      if (context.cancelled.aborted) return { kind: 'cancelled' }
      if (!zpl.ok) return nothingPrinted(zpl.error)
      const ready = await makeReady(context, signal)
      if (ready.kind === 'over') return ready.outcome
      const { connection, labelsInside } = ready
      if (!(await context.begin())) {
        connection.socket.destroy()
        return { kind: 'not-started' }
      }
      return sendLabel(connection, zpl.value, { context, waits, signal, labelsBefore: labelsInside })
    },
  }
}

async function zplOfLabel(
  context: Context,
  rasterizer: Pick<Rasterizer, 'measure' | 'renderZpl'>,
): Promise<Result<Buffer>> {
  const { label, printer } = context
  if (label.kind === 'zpl') {
    return ok(Buffer.concat(Array.from({ length: printer.copies }, () => label.bytes)))
  }
  const plan = await planLabel(context, rasterizer)
  return plan.ok ? rasterizer.renderZpl(label.bytes, zplLayoutOf(printer, plan.value.placements)) : plan
}

/** Connects, again after a while when the printer can't be reached. */
async function openPatiently(context: Context, waits: SocketWaits, signal: AbortSignal): Promise<Ready> {
  const { printer, cancelled, progress } = context
  const stop = AbortSignal.any([signal, cancelled])
  const retries = context.hasStandby ? waits.retries.slice(0, 1) : waits.retries
  for (let attempt = 0; ; attempt += 1) {
    const connection = await openConnection(printer, waits.connect, stop)
    const interrupted = interruption(context, signal)
    if (interrupted !== undefined) {
      if (connection.ok) connection.value.socket.destroy()
      return interrupted
    }
    if (connection.ok) {
      if (attempt > 0) progress(null)
      return { kind: 'ready', connection: connection.value, labelsInside: undefined }
    }
    const wait = retries[attempt]
    if (wait === undefined) return { kind: 'over', outcome: unreachable(printer, connection.error) }
    progress({ code: 'trying-again', says: [connection.error] })
    await rest(wait, stop)
  }
}

/** Asks how the printer is, and waits while a person is needed there. A printer that says nothing is taken as ready. */
async function waitUntilReady(
  connection: PrinterConnection,
  context: Context,
  { waits, signal }: { waits: SocketWaits; signal: AbortSignal },
): Promise<Ready> {
  const stop = AbortSignal.any([signal, context.cancelled])
  let noted = ''
  for (;;) {
    const status = await connection.ask(statusQuery, waits.status)
    const interrupted = interruption(context, signal)
    if (interrupted !== undefined) {
      connection.socket.destroy()
      return interrupted
    }
    const says = status?.troubles ?? []
    if (says.length === 0) {
      if (noted !== '') context.progress(null)
      return { kind: 'ready', connection, labelsInside: status?.labelsInside }
    }
    if (context.hasStandby) {
      connection.socket.destroy()
      return { kind: 'over', outcome: nothingPrinted(notReady(context.printer, says)) }
    }
    const troubles = sayInEnglish(says)
    if (troubles !== noted) context.progress({ code: 'nothing-sent-yet', says })
    noted = troubles
    await rest(waits.poll, stop)
  }
}

/** The end of a job of which nothing was sent, when the app is closing or a person took it back. */
function interruption(
  { cancelled }: Context,
  signal: AbortSignal,
): Extract<Ready, { kind: 'over' }> | undefined {
  if (signal.aborted) return { kind: 'over', outcome: { kind: 'not-started' } }
  if (cancelled.aborted) return { kind: 'over', outcome: { kind: 'cancelled' } }
  return undefined
}

function addressOf({ host, port }: SocketPrinter): string {
  return `${host}:${port}`
}

function unreachable(printer: SocketPrinter, says: PrinterRemark): PrintOutcome {
  const name = nameOfPrinter(printer)
  const address = addressOf(printer)
  const message = `Printer ${name} at ${address} can't be reached (${sayInEnglish([says])}): check that it is on and that its address is right, or choose another printer.`
  return nothingPrinted({
    ...appError('printer-unreachable', message, { printer: name, address }),
    says: [says],
  })
}
