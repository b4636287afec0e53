import type { LibraryHandle } from 'koffi'
import { z } from 'zod'

/** Why no job was created: the printer does not exist, or its queue refused the document. */
export type RawJobFailure = 'no-printer' | 'refused'

/** Commands to a job in a queue. A retained job stays in the queue after it was printed, until it is released. */
const commands = { pause: 1, resume: 2, cancel: 3, retain: 8, release: 9 } as const

/** One job of a queue. */
export interface SpoolerJob {
  id: number
  /** The JOB_STATUS bits of winspool.h. */
  status: number
  /** The name of its document. */
  title: string
}

/** A job of raw bytes. Its calls return whether they succeeded. */
export interface RawJob {
  id: number
  write(bytes: Buffer): Promise<boolean>
  /** Ends the job, so that the spooler prints it. Abandon a job that could not be ended. */
  end(): Promise<boolean>
  /** Deletes the job with everything that was written. */
  abandon(): Promise<void>
}

/** Windows' print spooler. A call may take as long as its print server; none blocks the caller's thread. */
export interface WindowsSpooler {
  startRawJob(queue: string, title: string): Promise<RawJob | RawJobFailure>
  /** All jobs of a queue; undefined when the spooler gives no answer. */
  listJobs(queue: string): Promise<SpoolerJob[] | undefined>
  /** @returns whether it succeeded */
  controlJob(queue: string, jobId: number, command: keyof typeof commands): Promise<boolean>
}

const maxJobs = 10_000
/** The buffer for the first call of EnumJobs; a second call gets the size that the spooler asks for. */
const firstAnswerBytes = 64 * 1024
const maxAnswerBytes = 16 * 1024 * 1024
const numberSchema = z.int()
const jobsSchema = z.array(z.object({ JobId: z.int(), Status: z.int(), pDocument: z.string().nullable() }))

/** Loads winspool.drv, which only Windows has, through koffi. The calls run in koffi's own threads. */
export async function loadWindowsSpooler(): Promise<WindowsSpooler> {
  const { default: koffi } = await import('koffi')
  const library = koffi.load('winspool.drv')
  const text = 'const char16_t *'
  const document = koffi.struct({ pDocName: text, pOutputFile: text, pDatatype: text })
  const job = koffi.struct({
    JobId: 'uint32_t',
    ...{ pPrinterName: text, pMachineName: text, pUserName: text, pDocument: text, pDatatype: text },
    ...{ pStatus: text, Status: 'uint32_t', Priority: 'uint32_t', Position: 'uint32_t' },
    ...{ TotalPages: 'uint32_t', PagesPrinted: 'uint32_t', Submitted: koffi.array('uint16_t', 8) },
  })
  const handle = 'void *'
  const outDword = koffi.out(koffi.pointer('uint32_t'))
  const bytesIn = koffi.pointer('uint8_t')
  const call = (name: string, parameters: Parameters<typeof library.func>[3]) =>
    toAsync(library.func('__stdcall', name, 'int32_t', parameters ?? []))

  const openPrinter = call('OpenPrinterW', [text, koffi.out(koffi.pointer(handle)), handle])
  const closePrinter = call('ClosePrinter', [handle])
  const startDocument = call('StartDocPrinterW', [handle, 'uint32_t', koffi.pointer(document)])
  const startPage = call('StartPagePrinter', [handle])
  const writePrinter = call('WritePrinter', [handle, bytesIn, 'uint32_t', outDword])
  const endPage = call('EndPagePrinter', [handle])
  const endDocument = call('EndDocPrinter', [handle])
  const abortPrinter = call('AbortPrinter', [handle])
  const setJob = call('SetJobW', [handle, 'uint32_t', 'uint32_t', handle, 'uint32_t'])
  const enumJobs = call('EnumJobsW', [
    ...[handle, 'uint32_t', 'uint32_t', 'uint32_t', koffi.out(bytesIn), 'uint32_t', outDword, outDword],
  ])

  const open = async (queue: string): Promise<unknown> => {
    const opened: unknown[] = [null]
    return (await openPrinter(queue, opened, null)) === 0 ? null : opened[0]
  }

  async function withPrinter<T>(
    queue: string,
    use: (printer: unknown) => Promise<T>,
  ): Promise<T | undefined> {
    const printer = await open(queue)
    if (printer === null) return undefined
    try {
      return await use(printer)
    } finally {
      await closePrinter(printer)
    }
  }

  /** @returns the jobs, or the buffer size that the spooler needs; undefined when it gives no answer */
  async function readJobs(printer: unknown, size: number): Promise<number | SpoolerJob[] | undefined> {
    const answer = Buffer.alloc(size)
    const needed = [0]
    const count = [0]
    const done = await enumJobs(printer, 0, maxJobs, 1, answer, size, needed, count)
    const more = needed[0] ?? 0
    if (done === 0) return more > size && more <= maxAnswerBytes ? more : undefined
    const rows: unknown = count[0] === 0 ? [] : koffi.decode(answer, koffi.array(job, count[0] ?? 0))
    return jobsSchema.parse(rows).map(({ JobId, Status, pDocument }) => ({
      ...{ id: JobId, status: Status, title: pDocument ?? '' },
    }))
  }

  return {
    async startRawJob(queue, title) {
      const printer = await open(queue)
      if (printer === null) return 'no-printer'
      const id = await startDocument(printer, 1, { pDocName: title, pOutputFile: null, pDatatype: 'RAW' })
      if (id <= 0) {
        await closePrinter(printer)
        return 'refused'
      }
      return {
        id,
        async write(bytes) {
          const written = [0]
          return (
            (await startPage(printer)) !== 0 &&
            (await writePrinter(printer, bytes, bytes.length, written)) !== 0 &&
            written[0] === bytes.length
          )
        },
        async end() {
          // The printer stays open for `abandon` when the job could not be ended.
          if ((await endPage(printer)) === 0 || (await endDocument(printer)) === 0) return false
          await closePrinter(printer)
          return true
        },
        async abandon() {
          await setJob(printer, id, 0, null, commands.cancel)
          await abortPrinter(printer)
          await closePrinter(printer)
        },
      }
    },
    listJobs: (queue) =>
      withPrinter(queue, async (printer) => {
        const first = await readJobs(printer, firstAnswerBytes)
        const jobs = typeof first === 'number' ? await readJobs(printer, first) : first
        return typeof jobs === 'number' ? undefined : jobs
      }),
    controlJob: async (queue, jobId, command) =>
      (await withPrinter(queue, (printer) => setJob(printer, jobId, 0, null, commands[command]))) === 1,
  }
}

/** Wraps a native function in a promise of its result. Its arguments must not change until then. */
function toAsync(native: ReturnType<LibraryHandle['func']>): (...values: unknown[]) => Promise<number> {
  return (...values) =>
    new Promise((resolve, reject) =>
      native.async(...values, (error: unknown, result: unknown) => {
        const number = numberSchema.safeParse(result)
        if (error || !number.success) reject(error ?? number.error)
        else resolve(number.data)
      }),
    )
}
