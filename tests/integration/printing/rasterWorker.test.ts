import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { constants, deflateRawSync } from 'node:zlib'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createWorkerRasterizer } from '../../../src/main/printing/raster/rasterizer'
import { buildWorker } from '../../support/builtWorker'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { markedPdf } from '../../support/printing/labels'
import { wholePages } from '../../support/printing/layouts'
import { temporaryFolder } from '../../support/temporaryFolder'

const layout = wholePages([{ widthMm: 100, heightMm: 150 }])

/** A PDF of less than 2 MB with one picture of 40,000 x 40,000 white pixels. */
function pictureBomb(): Buffer {
  const side = 40_000
  const part = deflateRawSync(Buffer.alloc(1_000_000, 255), { level: 9, finishFlush: constants.Z_SYNC_FLUSH })
  const parts = Array.from({ length: (side * side) / 1_000_000 }, () => part)
  const packed = Buffer.concat([Buffer.from([0x78, 0x9c]), ...parts, Buffer.from([3, 0])])
  const head =
    '%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj\n3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 283 425] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >> endobj\n4 0 obj << /Length 29 >>\nstream\nq 283 0 0 425 0 0 cm /I Do Q \nendstream endobj\n'
  const picture = `5 0 obj << /Type /XObject /Subtype /Image /Width ${side} /Height ${side} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`
  const tail = '\nendstream endobj\ntrailer << /Root 1 0 R >>\n%%EOF\n'
  return Buffer.concat([Buffer.from(head + picture), packed, Buffer.from(tail)])
}

/** A PDF of one page with these objects. Object 4 is the content of the page. */
function pdfOf(objects: readonly Buffer[], resources = ''): Buffer {
  const head = [
    '1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj',
    '2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj',
    `3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 283 425] /Contents 4 0 R /Resources << ${resources} >> >> endobj`,
  ].join('\n')
  const tail = '\ntrailer << /Root 1 0 R >>\n%%EOF\n'
  return Buffer.concat([Buffer.from(`%PDF-1.4\n${head}\n`), ...objects, Buffer.from(tail)])
}

function stream(number: number, fields: string, bytes: Buffer): Buffer {
  const head = `${number} 0 obj << ${fields} /Length ${bytes.length} >>\nstream\n`
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\nendstream endobj\n')])
}

/** A PDF of less than 1 MB with some 600 MB of drawing commands for lines. */
function contentBomb(): Buffer {
  const part = Buffer.from('0 0 m 9 9 l S\n'.repeat(70_000))
  const once = deflateRawSync(part, { level: 9, finishFlush: constants.Z_FULL_FLUSH })
  const parts = Array.from({ length: 600 }, () => once)
  const packed = Buffer.concat([Buffer.from([0x78, 0x9c]), ...parts, Buffer.from([3, 0])])
  return pdfOf([stream(4, '/Filter /FlateDecode', packed)])
}

/** A PDF with forms nested ten levels deep, each of which draws the next form ten times. */
function nestedForms(): Buffer {
  const depth = 10
  const forms = Array.from({ length: depth }, (_, level) => {
    const next = `/Resources << /XObject << /F ${level + 6} 0 R >> >>`
    const isLast = level === depth - 1
    const content = isLast ? '0 0 9 9 re f' : '/F Do '.repeat(10)
    const fields = `/Type /XObject /Subtype /Form /BBox [0 0 283 425] ${isLast ? '' : next}`
    return stream(level + 5, fields, Buffer.from(content))
  })
  return pdfOf([stream(4, '', Buffer.from('/F Do')), ...forms], '/XObject << /F 5 0 R >>')
}

const bombs = [
  ['a picture of 1.6 gigapixels', pictureBomb],
  ['600 MB of line commands', contentBomb],
  ['deeply nested forms', nestedForms],
] as const

describe('the rasterizer worker', () => {
  let script: URL

  beforeAll(async () => {
    script = await buildWorker('rasterWorker', 'src/main/printing/raster/worker.ts')
  })

  function startRasterizer(file = script, timeoutMs?: number) {
    const rasterizer = createWorkerRasterizer(file, timeoutMs)
    onTestFinished(() => rasterizer.close())
    return rasterizer
  }

  it('gives the same results as the rasterizer without a worker, for many requests at once', async () => {
    const threaded = startRasterizer()
    const inline = createInlineRasterizer()
    const pdf = await markedPdf()
    const answers = await Promise.all(Array.from({ length: 8 }, () => threaded.renderZpl(pdf, layout)))
    const expected = await inline.renderZpl(pdf, layout)
    // As text, because `toEqual` takes most of a second for the dots of one label.
    expect(new Set(answers.map((each) => JSON.stringify(each)))).toEqual(new Set([JSON.stringify(expected)]))
    expect(await threaded.measure(pdf)).toEqual(await inline.measure(pdf))
    // A coarse picture, because each of its numbers is compared.
    expect(await threaded.renderGrey(pdf, 1)).toEqual(await inline.renderGrey(pdf, 1))
    expect(await threaded.measure(Buffer.from('rubbish'))).toMatchObject({
      error: { code: 'label-unreadable' },
    })
  })

  /** Counts the threads that start until the test ends. */
  function countThreads(): () => number {
    let threads = 0
    const count = () => {
      threads += 1
    }
    process.on('worker', count)
    onTestFinished(() => void process.off('worker', count))
    return () => threads
  }

  it('starts when it is warmed up, not when it is created, and the first label starts no other worker', async () => {
    const threads = countThreads()
    const threaded = startRasterizer()
    expect(threads()).toBe(0)
    threaded.warmUp()
    await expect.poll(threads).toBe(1)
    expect((await threaded.measure(await markedPdf())).ok).toBe(true)
    expect(threads()).toBe(1)
  })

  it('starts with the first label when it is not warmed up, and draws the second label too', async () => {
    const threads = countThreads()
    const threaded = startRasterizer()
    const pdf = await markedPdf()
    expect(threads()).toBe(0)
    expect((await threaded.measure(pdf)).ok).toBe(true)
    await expect.poll(threads).toBe(1)
    expect((await threaded.measure(pdf)).ok).toBe(true)
    expect(threads()).toBe(1)
  })

  it('blocks the main thread for less than 250 ms while it draws', async () => {
    const threaded = startRasterizer()
    const pdf = await markedPdf(200, 280)
    await threaded.measure(pdf)
    let longest = 0
    let last = performance.now()
    const heartbeat = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }, 1)
    onTestFinished(() => clearInterval(heartbeat))
    // 35 million dots take the worker half a second or more.
    const started = performance.now()
    const drawn = await threaded.renderZpl(pdf, wholePages([{ widthMm: 200, heightMm: 280 }], 24))
    expect(drawn.ok).toBe(true)
    // If this thread drew the label, no timer would fire until the label is drawn.
    expect(longest).toBeLessThan((performance.now() - started) / 2)
  })

  it('is replaced when it dies or hangs, and the request fails with a reason', async () => {
    const folder = await temporaryFolder()
    const broken = join(folder, 'broken.mjs')
    await writeFile(
      broken,
      `import { parentPort } from 'node:worker_threads'
       parentPort.on('message', ({ name }) => {
         if (name === 'renderZpl') process.exit(1)
         if (name === 'measure') parentPort.postMessage({ output: { ok: true, value: [] } })
       })`,
    )
    const threaded = startRasterizer(pathToFileURL(broken), 3000)
    const pdf = Buffer.from('%PDF')
    expect(await threaded.renderZpl(pdf, layout)).toMatchObject({
      error: { code: 'label-unreadable', details: { reason: 'the rasteriser ended' } },
    })
    expect(await threaded.measure(pdf)).toEqual({ ok: true, value: [] })
    expect(await threaded.renderGrey(pdf, 8)).toMatchObject({
      error: { details: { reason: 'it takes too long to draw' } },
    })
    expect(await threaded.measure(pdf)).toEqual({ ok: true, value: [] })
  })

  it('repeats a request in a new worker when an earlier request has broken the worker', async () => {
    const folder = await temporaryFolder()
    const spoiling = join(folder, 'spoiling.mjs')
    await writeFile(
      spoiling,
      `import { parentPort } from 'node:worker_threads'
       let isSpoilt = false
       parentPort.on('message', ({ name }) => {
         if (isSpoilt) throw new Error('no memory left')
         isSpoilt = name === 'renderGrey'
         parentPort.postMessage({ output: { ok: true, value: [] } })
       })`,
    )
    const threaded = startRasterizer(pathToFileURL(spoiling), 3000)
    const pdf = Buffer.from('%PDF')
    expect(await threaded.renderGrey(pdf, 8)).toEqual({ ok: true, value: [] })
    expect(await threaded.measure(pdf)).toEqual({ ok: true, value: [] })
  })

  it('answers other requests while one hangs, and fails only that one', async () => {
    const folder = await temporaryFolder()
    const hanging = join(folder, 'hanging.mjs')
    await writeFile(
      hanging,
      `import { parentPort } from 'node:worker_threads'
       parentPort.on('message', ({ name }) => {
         if (name === 'renderZpl') for (;;);
         parentPort.postMessage({ output: { ok: true, value: [] } })
       })`,
    )
    const threaded = startRasterizer(pathToFileURL(hanging), 2000)
    const pdf = Buffer.from('%PDF')
    const ended: string[] = []
    const hangs = threaded.renderZpl(pdf, layout).then((answer) => {
      ended.push('the label that hangs')
      return answer
    })
    const others = await Promise.all(Array.from({ length: 5 }, () => threaded.measure(pdf)))
    ended.push('the others')
    expect(others).toEqual(Array.from({ length: 5 }, () => ({ ok: true, value: [] })))
    expect(await hangs).toMatchObject({ error: { details: { reason: 'it takes too long to draw' } } })
    expect(ended).toEqual(['the others', 'the label that hangs'])
  })

  it('does not count the wait for a worker towards the time limit of a label', async () => {
    const folder = await temporaryFolder()
    const slow = join(folder, 'slow.mjs')
    await writeFile(
      slow,
      `import { parentPort } from 'node:worker_threads'
       parentPort.on('message', () => {
         const end = Date.now() + 700
         while (Date.now() < end);
         parentPort.postMessage({ output: { ok: true, value: [] } })
       })`,
    )
    // The last of ten requests starts after some 3 s of waiting.
    const threaded = startRasterizer(pathToFileURL(slow), 3000)
    const answers = await Promise.all(Array.from({ length: 10 }, () => threaded.measure(Buffer.from('%PDF'))))
    expect(answers.every(({ ok }) => ok)).toBe(true)
  })

  it('refuses a PDF whose picture would need gigabytes, and draws the next label', async () => {
    const threaded = startRasterizer(script, 20_000)
    const bomb = pictureBomb()
    expect(bomb.length).toBeLessThan(2_000_000)
    await threaded.measure(bomb)
    const before = process.memoryUsage.rss()
    let peak = before
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss())
    }, 5)
    onTestFinished(() => clearInterval(watch))
    const drawn = await threaded.renderZpl(bomb, layout)
    expect((peak - before) / 1024 / 1024).toBeLessThan(1000)
    // An error instead of a blank label.
    expect(drawn).toMatchObject({ error: { details: { reason: 'it takes too much memory' } } })
    expect((await threaded.renderZpl(await markedPdf(), layout)).ok).toBe(true)
  })

  it.each(bombs)(
    'adds less than 1,300 MiB of memory with %s in all workers, and draws another label',
    async (_, make) => {
      const threaded = startRasterizer(script, 8000)
      const good = await markedPdf()
      await threaded.measure(good)
      const bomb = make()
      expect(bomb.length).toBeLessThan(2_000_000)
      const before = process.memoryUsage.rss()
      let peak = before
      const watch = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage.rss())
      }, 5)
      onTestFinished(() => clearInterval(watch))
      const held = [threaded.renderZpl(bomb, layout), threaded.renderZpl(bomb, layout)]
      expect((await threaded.renderZpl(good, layout)).ok).toBe(true)
      for (const answer of await Promise.all(held)) {
        expect(answer).toMatchObject({ error: { code: 'label-unreadable' } })
      }
      expect((peak - before) / 1024 / 1024).toBeLessThan(1300)
    },
  )

  it('fails a request when the script of the worker is missing', async () => {
    const folder = await temporaryFolder()
    const threaded = startRasterizer(pathToFileURL(join(folder, 'missing.mjs')))
    expect(await threaded.measure(Buffer.from('%PDF'))).toMatchObject({ error: { code: 'label-unreadable' } })
  })
})
