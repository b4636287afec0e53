import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { PDFDocument } from 'pdf-lib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { rest } from '../../../src/main/lib/async'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { waitsForPrinter } from '../../../src/main/printing/drivers/driver'
import { createFolderDriver, unfinishedName } from '../../../src/main/printing/drivers/folder'
import { createPrintQueue } from '../../../src/main/printing/queue/printQueue'
import { toNewJob } from '../../../src/main/printing/queue/routing'
import type { PrintNote } from '../../../src/shared/printerRemarks'
import { folderPrinterSchema } from '../../../src/shared/printing'
import { defaultSettings } from '../../../src/shared/settings'
import { deferred } from '../../support/deferred'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelsInMemory, labelWith, markedPdf, noInvoices } from '../../support/printing/labels'
import { createMemoryJobs } from '../../support/printing/memoryJobs'
import { contextFor, staysOpen } from '../../support/printing/printContext'
import { printingSettings } from '../../support/printing/printingSettings'
import { createStubDrivers } from '../../support/printing/stubDriver'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'

const broken = vi.hoisted((): { code: string | undefined; share: string | undefined } => ({
  code: undefined,
  share: undefined,
}))
type HangingCall = 'stat' | 'open' | 'link'
/** A call that does not return below a folder until `until` resolves. */
const hanging = vi.hoisted((): { at?: { call: HangingCall; below: string; until: Promise<void> } } => ({}))
const waitWhileHanging = vi.hoisted(() => async (call: HangingCall, place: string) => {
  const { at } = hanging
  if (at?.call === call && place.startsWith(at.below)) await at.until
})
/** The paths that the driver has passed to `stat`. */
const statPaths = vi.hoisted((): string[] => [])
vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>()
  return {
    ...original,
    async stat(place: string) {
      statPaths.push(place)
      await waitWhileHanging('stat', place)
      const found = await original.stat(place)
      const isOnShare = broken.share !== undefined && `${place}/`.startsWith(`${broken.share}/`)
      return isOnShare ? Object.assign(found, { dev: 4711 }) : found
    },
    async open(...args: Parameters<typeof original.open>) {
      await waitWhileHanging('open', String(args[0]))
      return original.open(...args)
    },
    async link(existing: string, name: string) {
      await waitWhileHanging('link', name)
      await original.link(existing, name)
      if (broken.code !== undefined) throw Object.assign(new Error(broken.code), { code: broken.code })
    },
  }
})

const rasterizer = createInlineRasterizer()
const bytes = pdfWith('\u0000\u00ff exactly these bytes')

/** A PDF of one empty page with this comment and valid cross-references. */
function pdfWith(comment: string): Buffer {
  const objects = [
    '<</Type /Catalog /Pages 2 0 R>>',
    '<</Type /Pages /Kids [3 0 R] /Count 1>>',
    '<</Type /Page /Parent 2 0 R /MediaBox [0 0 283 425]>>',
  ]
  let body = `%PDF-1.7\n%${comment}\n`
  let table = 'xref\n0 4\n0000000000 65535 f \n'
  for (const [index, object] of objects.entries()) {
    table += `${String(body.length).padStart(10, '0')} 00000 n \n`
    body += `${index + 1} 0 obj ${object} endobj\n`
  }
  const end = `trailer <</Root 1 0 R /Size 4>>\nstartxref\n${body.length}\n%%EOF\n`
  return Buffer.from(body + table + end, 'latin1')
}

/** Makes a call hang below a folder until the returned function is called, or the test ends. */
function hang(call: HangingCall, below: string): () => void {
  const { promise: until, resolve: release } = deferred<void>()
  hanging.at = { call, below, until }
  const end = () => {
    hanging.at = undefined
    release()
  }
  onTestFinished(end)
  return end
}

/** A folder driver on a new data folder, and the folder that its printer writes to. */
async function folderPrinter(folder = 'labels/fieldValues', waits?: { note: number; giveUp: number }) {
  const dataFolder = await temporaryFolder()
  const printer = folderPrinterSchema.parse({ id: 'file', driver: 'folder', path: folder })
  return {
    driver: createFolderDriver(dataFolder, rasterizer, waits),
    printer,
    folder: resolve(dataFolder, folder),
    dataFolder,
  }
}

describe('a folder printer', () => {
  it('writes the stored bytes to a file named by reference and barcode, for its owner only', async () => {
    const { driver, printer, folder } = await folderPrinter()
    const context = contextFor(printer, labelWith({ bytes }))
    const outputPath = join(folder, 'ORDER-1-3STEST000000001.pdf')
    expect(await driver.print(context, staysOpen)).toEqual({ kind: 'done', outputPath })
    expect(context.acceptedTimes()).toBe(1)
    expect((await readFile(outputPath)).equals(bytes)).toBe(true)
    if (process.platform !== 'win32') {
      expect((await stat(outputPath)).mode & 0o777).toBe(0o600)
      expect((await stat(folder)).mode & 0o777).toBe(0o700)
    }
  })

  it('lets a label wait while its share is not mounted, even after a restart', async () => {
    const place = await temporaryFolder()
    const folder = join(place, 'share', 'labels')
    await mkdir(join(place, 'share'))
    const { driver, printer, dataFolder } = await folderPrinter(folder)
    onTestFinished(() => {
      broken.share = undefined
    })
    const print = (on = driver) => on.print(contextFor(printer, labelWith({ bytes })), staysOpen)
    broken.share = join(place, 'share')
    expect(await print()).toMatchObject({ kind: 'done' })
    broken.share = undefined
    const restarted = createFolderDriver(dataFolder, rasterizer)
    for (const on of [driver, restarted]) {
      const outcome = await print(on)
      expect(outcome).toMatchObject({
        ...{ kind: 'failed', nothingPrinted: true },
        error: { code: 'folder-not-writable', details: { reason: 'ENOTCONN' } },
      })
      expect(waitsForPrinter(outcome)).toBe(true)
    }
    // The mount point itself is missing.
    await rm(join(place, 'share'), { recursive: true })
    expect(await print(restarted)).toMatchObject({ error: { details: { reason: 'ENOTCONN' } } })
    await mkdir(join(place, 'share'))
    broken.share = join(place, 'share')
    expect(await print(restarted)).toMatchObject({ kind: 'done' })
  })

  it('is available before its first label if its folder can be created, but not if a file has that name or its share is not mounted', async () => {
    const { driver, printer, dataFolder } = await folderPrinter()
    const pollStatus = (at: string) => driver.pollStatus?.({ ...printer, path: at }, staysOpen)
    expect(await pollStatus('labels/fieldValues')).toEqual({ kind: 'available' })
    expect(await readdir(dataFolder)).toEqual([])
    await writeFile(join(dataFolder, 'labels'), 'a file')
    expect(await pollStatus('labels/fieldValues')).toEqual({ kind: 'no-answer' })

    const share = join(await temporaryFolder(), 'share')
    await mkdir(share)
    onTestFinished(() => {
      broken.share = undefined
    })
    broken.share = share
    expect(await pollStatus(share)).toEqual({ kind: 'available' })
    broken.share = undefined
    expect(await pollStatus(share)).toEqual({ kind: 'no-answer' })
    const label = join(share, 'label')
    expect(await pollStatus(label)).toEqual({ kind: 'available' })
    broken.share = share
    expect(await pollStatus(label)).toEqual({ kind: 'available' })
    broken.share = undefined
    expect(await pollStatus(label)).toEqual({ kind: 'no-answer' })
  })

  it('is polled without reading folders above the first one that exists', async () => {
    const { driver, printer, folder } = await folderPrinter()
    const pollStatus = async () => {
      statPaths.length = 0
      expect(await driver.pollStatus?.(printer, staysOpen)).toEqual({ kind: 'available' })
      return [...statPaths]
    }
    await pollStatus()
    const labels = dirname(folder)
    expect(await pollStatus()).toEqual([folder, labels, dirname(labels)])
    await mkdir(folder, { recursive: true })
    await pollStatus()
    expect(await pollStatus()).toEqual([folder])
  })

  it('prints a label when the file of stored mount points is damaged', async () => {
    const place = await temporaryFolder()
    const { driver, printer, dataFolder } = await folderPrinter(place)
    await writeFile(join(dataFolder, 'print-folders.json'), '{')
    expect(await driver.print(contextFor(printer, labelWith({ bytes })), staysOpen)).toMatchObject({
      kind: 'done',
    })
  })

  it('may write outside the data folder, and gives a ZPL label the extension .zpl', async () => {
    const elsewhere = await temporaryFolder()
    const { driver, printer } = await folderPrinter(elsewhere)
    await driver.print(contextFor(printer, labelWith({ bytes, kind: 'zpl' })), staysOpen)
    expect(await readdir(elsewhere)).toEqual(['ORDER-1-3STEST000000001.zpl'])
  })

  it('never overwrites a file, even when 25 labels of one name are printed at once', async () => {
    const { driver, printer, folder } = await folderPrinter()
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'ORDER-1-3STEST000000001-2.pdf'), 'someone else’s')
    const contents = Array.from({ length: 25 }, (_, number) => pdfWith(`label ${number}`))
    const outcomes = await Promise.all(
      contents.map((content) => driver.print(contextFor(printer, labelWith({ bytes: content })), staysOpen)),
    )
    const written = await Promise.all(
      outcomes.map((outcome) => readFile(outcome.kind === 'done' ? (outcome.outputPath ?? '') : '', 'utf8')),
    )
    expect(written).toEqual(contents.map(String))
    const files = await readdir(folder)
    expect(files).toHaveLength(26)
    expect(files).toContain('ORDER-1-3STEST000000001-26.pdf')
    expect(await readFile(join(folder, 'ORDER-1-3STEST000000001-2.pdf'), 'utf8')).toBe('someone else’s')
  })

  it('does not write outside its folder because of a reference or an existing link', async () => {
    const { driver, printer, folder, dataFolder } = await folderPrinter()
    const label = labelWith({ bytes, reference: '../../../escaped', barcode: '/etc/x' })
    await driver.print(contextFor(printer, label), staysOpen)
    expect(await readdir(folder)).toEqual(['_.._.._escaped-_etc_x.pdf'])
    await writeFile(join(dataFolder, 'victim'), 'untouched')
    await symlink(join(dataFolder, 'victim'), join(folder, 'ORDER-1-3STEST000000001.pdf'))
    await driver.print(contextFor(printer, labelWith({ bytes })), staysOpen)
    expect(await readFile(join(dataFolder, 'victim'), 'utf8')).toBe('untouched')
    expect(await readdir(folder)).toContain('ORDER-1-3STEST000000001-2.pdf')
  })

  it('gives a file its name only when the file is complete', async () => {
    const { driver, printer, folder } = await folderPrinter()
    const large = pdfWith('x'.repeat(8 * 1024 * 1024))
    const sizes = new Set<number>()
    let printed = false
    const watching = (async () => {
      while (!printed) {
        const file = await stat(join(folder, 'ORDER-1-3STEST000000001.pdf')).catch(() => undefined)
        if (file !== undefined) sizes.add(file.size)
      }
    })()
    await driver.print(contextFor(printer, labelWith({ bytes: large })), staysOpen)
    await vi.waitFor(() => expect(sizes.size).toBe(1))
    printed = true
    await watching
    expect([...sizes]).toEqual([large.length])
    expect(await readdir(folder)).toEqual(['ORDER-1-3STEST000000001.pdf'])
  })

  it.each([
    ['is cut in the middle', async () => (await markedPdf()).subarray(0, 700)],
    ['has only its beginning', async () => Buffer.from('%PDF-1.7\n')],
    ['is no PDF at all', async () => Buffer.from('<html>Service Unavailable</html> %%EOF')],
  ])('refuses a label and writes no file when its PDF %s', async (_, pdf) => {
    const { driver, printer, folder } = await folderPrinter()
    const context = contextFor(printer, labelWith({ bytes: await pdf() }))
    expect(await driver.print(context, staysOpen)).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: { code: 'label-unreadable' },
    })
    expect(context.claimedTimes()).toBe(0)
    expect(await readdir(folder).catch(() => [])).toEqual([])
  })

  it('reports a folder that cannot be written, and leaves no file behind', async () => {
    const { driver, printer, dataFolder } = await folderPrinter('file/labels')
    await writeFile(join(dataFolder, 'file'), 'not a folder')
    expect(await driver.print(contextFor(printer, labelWith({ bytes })), staysOpen)).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: { code: 'folder-not-writable', details: { folder: join(dataFolder, 'file/labels') } },
    })
    expect(await readdir(dataFolder)).toEqual(['file'])
  })

  it('claims no job while its folder cannot be written, and replaces the unfinished file of an earlier attempt', async () => {
    const { driver, printer, folder, dataFolder } = await folderPrinter('file/labels')
    const context = contextFor(printer, labelWith({ bytes }))
    await writeFile(join(dataFolder, 'file'), '')
    expect(await driver.print(context, staysOpen)).toMatchObject({ kind: 'failed', nothingPrinted: true })
    expect(context.claimedTimes()).toBe(0)
    await rm(join(dataFolder, 'file'))
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, unfinishedName(context.jobId)), 'half a lab')
    expect(await driver.print(context, staysOpen)).toMatchObject({ kind: 'done' })
    expect(await readdir(folder)).toEqual(['ORDER-1-3STEST000000001.pdf'])
  })

  it('leaves a label unconfirmed when the connection breaks while the file gets its name', async () => {
    const { driver, printer, folder } = await folderPrinter()
    broken.code = 'EIO'
    onTestFinished(() => {
      broken.code = undefined
    })
    expect(await driver.print(contextFor(printer, labelWith({ bytes })), staysOpen)).toMatchObject({
      kind: 'unconfirmed',
      error: { says: [{ code: 'connection-broke', words: 'EIO' }] },
    })
    expect(await readdir(folder)).toEqual(['ORDER-1-3STEST000000001.pdf'])
  })

  it('writes one file when a share repeats the naming request and then reports that the name exists', async () => {
    const { driver, printer, folder } = await folderPrinter()
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'ORDER-1-3STEST000000001.pdf'), 'of another job')
    broken.code = 'EEXIST'
    onTestFinished(() => {
      broken.code = undefined
    })
    const outputPath = join(folder, 'ORDER-1-3STEST000000001-2.pdf')
    expect(await driver.print(contextFor(printer, labelWith({ bytes })), staysOpen)).toEqual({
      kind: 'done',
      outputPath,
    })
    expect(await readdir(folder)).toEqual(['ORDER-1-3STEST000000001-2.pdf', 'ORDER-1-3STEST000000001.pdf'])
    expect(await readFile(outputPath)).toEqual(bytes)
  })

  it('leaves no file when the job is cancelled during the write', async () => {
    const { driver, printer, folder } = await folderPrinter()
    const context = { ...contextFor(printer, labelWith({ bytes })), claim: async () => false }
    expect(await driver.print(context, staysOpen)).toEqual({ kind: 'not-started' })
    expect(await readdir(folder)).toEqual([])
  })

  // Root has write permission everywhere.
  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'reports missing write permission',
    async () => {
      const { driver, printer, folder } = await folderPrinter()
      await mkdir(folder, { recursive: true })
      await chmod(folder, 0o500)
      expect(await driver.print(contextFor(printer, labelWith({ bytes })), staysOpen)).toMatchObject({
        kind: 'failed',
        error: { code: 'folder-not-writable' },
      })
      expect(await readdir(folder)).toEqual([])
    },
  )

  it('writes nothing when the app is closing', async () => {
    const { driver, printer, dataFolder } = await folderPrinter()
    const context = contextFor(printer, labelWith({ bytes }))
    expect(await driver.print(context, AbortSignal.abort())).toEqual({ kind: 'not-started' })
    expect(await readdir(dataFolder)).toEqual([])
  })
})

describe('a folder whose share does not answer', () => {
  const waits = { note: 100, giveUp: 1000 }
  const impatientPrinter = (longer = {}) => folderPrinter('labels', { ...waits, ...longer })
  const silentNote = (folder: string): PrintNote => ({
    code: 'still-on-its-way',
    says: [{ code: 'folder-silent', words: folder }],
  })

  /** A queue with two labels for a folder printer, whose settings are read anew at each use. */
  async function createQueue(
    { driver, printer, dataFolder }: Awaited<ReturnType<typeof folderPrinter>>,
    { hasStandby }: { hasStandby: () => boolean },
  ) {
    const standby = folderPrinterSchema.parse({ id: 'standby', driver: 'folder', path: 'standby' })
    const labels = ['FIRST', 'SECOND'].map((reference) => labelWith({ bytes, reference }))
    const jobs = createMemoryJobs()
    const bus = createEventBus()
    const queue = createPrintQueue({
      jobs,
      labels: labelsInMemory(labels),
      invoices: noInvoices,
      settings: printingSettings(() => ({
        printers: [printer, standby],
        routing: [{ printer: printer.id, ...(hasStandby() && { standby: standby.id }) }],
      })),
      paused: { list: async () => [], set: async () => undefined },
      drivers: { ...createStubDrivers(), folder: driver },
      measure: (pdf) => rasterizer.measure(pdf),
      log: silentLog,
      now: () => new Date(),
      bus,
    })
    onTestFinished(() => queue.stop())
    const { id, path: name } = printer
    await jobs.add(labels.map((label) => toNewJob(label, { printer: { id, name } }, 'first')))
    await queue.start()
    const states = () => jobs.all().map(({ printerId, state }) => [printerId, state])
    const printedByStandby = async () => (await readdir(join(dataFolder, 'standby'))).toSorted()
    return { queue, jobs, bus, states, printedByStandby }
  }
  const bothMoved = [
    ['file', 'cancelled'],
    ['file', 'cancelled'],
    ['standby', 'done'],
    ['standby', 'done'],
  ]
  const bothLabels = ['FIRST-3STEST000000001.pdf', 'SECOND-3STEST000000001.pdf']

  it('is named as the reason for which a label waits, and gets the label when it answers', async () => {
    // Linking and syncing the file take less than the time until a note.
    const { driver, printer, folder } = await impatientPrinter({ note: waits.giveUp })
    const answer = hang('stat', folder)
    const context = contextFor(printer, labelWith({ bytes }))
    const printed = driver.print(context, staysOpen)
    await vi.waitFor(() => expect(context.notes).toEqual([silentNote(folder)]), { timeout: 5000 })
    await rest(2 * waits.giveUp)
    expect(context.claimedTimes()).toBe(0)
    answer()
    expect(await printed).toMatchObject({ kind: 'done' })
    expect(context.notes).toHaveLength(1)
  })

  it.each(['stat', 'open'] as const)(
    'never gets a label that its standby got, whatever it answers later to %s, and is not called again before that',
    async (call) => {
      const { driver, printer, folder } = await impatientPrinter({ giveUp: 3000 })
      const answer = hang(call, folder)
      const label = labelWith({ bytes })
      const contexts = [1, 2].map(() => ({ ...contextFor(printer, label), hasStandby: true }))
      for (const context of contexts) {
        const outcome = await driver.print(context, staysOpen)
        expect(outcome).toMatchObject({ error: { code: 'folder-not-writable' }, nothingPrinted: true })
        expect(outcome).toMatchObject({ error: { details: { case: 'print-folder-silent' } } })
        statPaths.length = 0
      }
      // The second label found out at once.
      expect(contexts.map(({ notes }) => notes)).toEqual([[silentNote(folder)], []])
      const later = contextFor(printer, labelWith({ bytes, reference: 'LATER' }))
      const printed = driver.print(later, staysOpen)
      await rest(waits.note)
      expect(statPaths).toEqual([])
      answer()
      // The first attempt has ended when the later label is written.
      expect(await printed).toMatchObject({ kind: 'done' })
      expect(contexts.map((context) => context.claimedTimes())).toEqual([0, 0])
      expect(await readdir(folder)).toEqual(['LATER-3STEST000000001.pdf'])
      const again = { ...contextFor(printer, labelWith({ bytes, reference: 'AGAIN' })), hasStandby: true }
      expect(await driver.print(again, staysOpen)).toMatchObject({ kind: 'done' })
    },
  )

  it('keeps a label that was claimed, although a standby is set up and storing the claim takes long', async () => {
    const { driver, printer, folder } = await impatientPrinter()
    const { promise: stored, resolve: store } = deferred<void>()
    const claim = vi.fn(() => stored.then(() => true))
    const context = { ...contextFor(printer, labelWith({ bytes })), hasStandby: true, claim }
    const printed = driver.print(context, staysOpen)
    await vi.waitFor(() => expect(claim).toHaveBeenCalled())
    await rest(2 * waits.giveUp)
    const answer = hang('link', folder)
    store()
    const note = { code: 'still-on-its-way', says: silentNote(folder).says }
    await vi.waitFor(() => expect(context.notes).toEqual([note]))
    await rest(2 * waits.giveUp)
    answer()
    expect(await printed).toMatchObject({ kind: 'done' })
  })

  it('is polled by one call at a time, each with an answer in time', async () => {
    const { driver, printer, folder } = await impatientPrinter()
    const pollStatus = () => driver.pollStatus?.(printer, staysOpen)
    const answer = hang('stat', folder)
    statPaths.length = 0
    for (let poll = 0; poll < 3; poll += 1) expect(await pollStatus()).toEqual({ kind: 'no-answer' })
    expect(statPaths).toEqual([folder])
    answer()
    await vi.waitFor(async () => expect(await pollStatus()).toEqual({ kind: 'available' }))
  })

  it('leaves its labels to the standby in the queue, which prints each once, also when the share answers afterwards', async () => {
    const place = await impatientPrinter()
    const { driver, printer, folder } = place
    const answer = hang('stat', folder)
    const { states, printedByStandby } = await createQueue(place, { hasStandby: () => true })
    await vi.waitFor(() => expect(states()).toEqual(bothMoved), { timeout: 5000 })
    answer()
    // It is written after the attempt that was given up has ended.
    await driver.print(contextFor(printer, labelWith({ bytes, reference: 'LATER' })), staysOpen)
    expect(await readdir(folder)).toEqual(['LATER-3STEST000000001.pdf'])
    expect(states()).toEqual(bothMoved)
    expect(await printedByStandby()).toEqual(bothLabels)
  })

  it('leaves its labels to a standby that is set up while it hangs, and gets none of them later', async () => {
    const place = await impatientPrinter({ giveUp: 60_000 })
    const { driver, printer, folder } = place
    const answer = hang('stat', folder)
    let hasStandby = false
    const { jobs, bus, states, printedByStandby } = await createQueue(place, { hasStandby: () => hasStandby })
    await vi.waitFor(() => expect(jobs.all()[0]?.note).toEqual(silentNote(folder)))
    hasStandby = true
    bus.emit('settingsChanged', defaultSettings)
    await vi.waitFor(() => expect(states()).toEqual(bothMoved), { timeout: 5000 })
    answer()
    await driver.print(contextFor(printer, labelWith({ bytes, reference: 'LATER' })), staysOpen)
    expect(await readdir(folder)).toEqual(['LATER-3STEST000000001.pdf'])
    expect(await printedByStandby()).toEqual(bothLabels)
  })

  it('is free for the next label when the one that hangs is cancelled, and never gets the cancelled one', async () => {
    const place = await impatientPrinter({ giveUp: 60_000 })
    const { folder } = place
    const answer = hang('stat', folder)
    const { queue, jobs, states } = await createQueue(place, { hasStandby: () => false })
    const [first, second] = jobs.all()
    await vi.waitFor(() => expect(jobs.all()[0]?.note).toEqual(silentNote(folder)))
    expect(await queue.cancel(first?.id ?? '')).toMatchObject({ ok: true })
    // The second one is at the printer now.
    await vi.waitFor(async () =>
      expect(await jobs.find(second?.id ?? '')).toMatchObject({ note: silentNote(folder) }),
    )
    answer()
    await vi.waitFor(() =>
      expect(states()).toEqual([
        ['file', 'cancelled'],
        ['file', 'done'],
      ]),
    )
    expect(await readdir(folder)).toEqual(['SECOND-3STEST000000001.pdf'])
  })

  it('gets the next label although one was cancelled while it took labels, and keeps a claimed label that is cancelled', async () => {
    const { driver, printer, folder } = await impatientPrinter({ note: 5000, giveUp: 10_000 })
    const cancelling = new AbortController()
    const answer = hang('stat', folder)
    const cancelled = driver.print(contextFor(printer, labelWith({ bytes }), cancelling.signal), staysOpen)
    await vi.waitFor(() => expect(statPaths).toContain(folder))
    cancelling.abort()
    expect(await cancelled).toEqual({ kind: 'cancelled' })
    const next = { ...contextFor(printer, labelWith({ bytes, reference: 'NEXT' })), hasStandby: true }
    const printed = driver.print(next, staysOpen)
    answer()
    expect(await printed).toMatchObject({ kind: 'done' })
    const late = new AbortController()
    const claimed = contextFor(printer, labelWith({ bytes, reference: 'CLAIMED' }), late.signal)
    const claim = async () => {
      late.abort()
      return true
    }
    expect(await driver.print({ ...claimed, claim }, staysOpen)).toMatchObject({ kind: 'done' })
    expect((await readdir(folder)).toSorted()).toEqual([
      'CLAIMED-3STEST000000001.pdf',
      'NEXT-3STEST000000001.pdf',
    ])
  })
})

describe('a page range of a label', () => {
  /** A PDF whose pages differ in width. */
  async function pagesOfWidths(...widthsMm: number[]): Promise<Buffer> {
    const document = await PDFDocument.create()
    for (const width of widthsMm) document.addPage([(width * 72) / 25.4, (150 * 72) / 25.4])
    return Buffer.from(await document.save())
  }

  it('is written as a PDF with only these pages, in order', async () => {
    const { driver, printer, folder } = await folderPrinter()
    const label = labelWith({ bytes: await pagesOfWidths(100, 90, 80, 70) })
    const context = { ...contextFor(printer, label), range: { from: 2, to: 3 } }
    expect(await driver.print(context, staysOpen)).toMatchObject({ kind: 'done' })
    const [file] = await readdir(folder)
    const written = await PDFDocument.load(await readFile(join(folder, file ?? '')))
    expect(written.getPages().map((page) => Math.round((page.getWidth() * 25.4) / 72))).toEqual([90, 80])
  })

  it('is refused, with no file written, when the label has fewer pages or is unreadable', async () => {
    const { driver, printer, folder } = await folderPrinter()
    const label = labelWith({ bytes: await pagesOfWidths(100) })
    const context = { ...contextFor(printer, label), range: { from: 2, to: 3 } }
    expect(await driver.print(context, staysOpen)).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: { code: 'invalid-input', details: { pages: '1' } },
    })
    expect(await readdir(folder).catch(() => [])).toEqual([])
    const damaged = {
      ...contextFor(printer, labelWith({ bytes: Buffer.from('%PDF-1.7\nno more') })),
      range: { from: 1, to: 1 },
    }
    expect(await driver.print(damaged, staysOpen)).toMatchObject({ error: { code: 'label-unreadable' } })
  })
})
