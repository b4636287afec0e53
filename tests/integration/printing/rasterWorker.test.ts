import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createWorkerRasterizer } from '../../../src/main/printing/raster/workerRasterizer'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { markedPdf } from '../../support/printing/labels'
import { buildRasterWorker } from '../../support/printing/rasterWorker'
import { temporaryFolder } from '../../support/temporaryFolder'

const layout = {
  dotsPerMm: 8,
  widthDots: 800,
  heightDots: 1200,
  rotate: 0,
  offsetDots: { x: 0, y: 0 },
  copies: 1,
} as const

describe('the rasteriser’s thread', () => {
  let script: URL

  beforeAll(async () => {
    script = await buildRasterWorker(path.resolve('out/tests/rasterWorker'))
  })

  function startThread(file = script, timeoutMs?: number) {
    const rasterizer = createWorkerRasterizer(file, timeoutMs)
    onTestFinished(() => rasterizer.close())
    return rasterizer
  }

  it('answers as the code does in one thread, many questions at once', async () => {
    const threaded = startThread()
    const inline = createInlineRasterizer()
    const pdf = await markedPdf()
    const answers = await Promise.all(Array.from({ length: 8 }, () => threaded.renderZpl(pdf, layout)))
    const expected = await inline.renderZpl(pdf, layout)
    for (const answer of answers) expect(answer).toEqual(expected)
    expect(await threaded.measure(pdf)).toEqual(await inline.measure(pdf))
    expect(await threaded.renderGrey(pdf, 6)).toEqual(await inline.renderGrey(pdf, 6))
    expect(await threaded.measure(Buffer.from('rubbish'))).toMatchObject({
      error: { code: 'label-unreadable' },
    })
  })

  it('leaves the app’s own thread free', async () => {
    const threaded = startThread()
    const pdf = await markedPdf(200, 280)
    await threaded.measure(pdf)
    let longest = 0
    let last = performance.now()
    const heartbeat = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }, 1)
    onTestFinished(() => clearInterval(heartbeat))
    // 35 million dots take the thread half a second or more.
    const drawn = await threaded.renderZpl(pdf, {
      ...layout,
      dotsPerMm: 24,
      widthDots: 4800,
      heightDots: 6720,
    })
    expect(drawn.ok).toBe(true)
    expect(longest).toBeLessThan(250)
  })

  it('is replaced when it dies or hangs, and what it was asked fails with words', async () => {
    const folder = await temporaryFolder()
    const broken = path.join(folder, 'broken.mjs')
    await writeFile(
      broken,
      `import { parentPort } from 'node:worker_threads'
       parentPort.on('message', ({ id, task }) => {
         if (task.kind === 'zpl') process.exit(1)
         if (task.kind === 'measure') parentPort.postMessage({ id, result: { ok: true, value: { kind: 'measure', pages: [] } } })
       })`,
    )
    const threaded = startThread(pathToFileURL(broken), 3000)
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

  it('tells what keeps it from starting', async () => {
    const folder = await temporaryFolder()
    const threaded = startThread(pathToFileURL(path.join(folder, 'missing.mjs')))
    expect(await threaded.measure(Buffer.from('%PDF'))).toMatchObject({ error: { code: 'label-unreadable' } })
  })
})
