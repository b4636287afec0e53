import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createWorkerProver } from '../../../src/main/printing/barcodes/barcodeProver'
import { buildWorker } from '../../support/builtWorker'
import { labelSheet } from '../../support/printing/corpus/sheets'
import { symbols } from '../../support/printing/corpus/symbols'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { wholePages } from '../../support/printing/layouts'
import { temporaryFolder } from '../../support/temporaryFolder'

const layout = wholePages([{ widthMm: 100, heightMm: 150 }])
const limits = { readingMs: 20_000, waitingMs: 20_000 }

function startProver(script: URL, some: Partial<typeof limits> = {}) {
  const prover = createWorkerProver(script, { ...limits, ...some })
  onTestFinished(() => prover.close())
  return prover
}

async function drawnLabel() {
  const pdf = await labelSheet([symbols.code128, symbols.qr])
  const bitmaps = await createInlineRasterizer().renderMono(pdf, layout)
  if (!bitmaps.ok) throw new Error(bitmaps.error.message)
  return { pdf, layout, bitmaps: bitmaps.value }
}

/** A worker that hangs, dies, throws or exhausts its memory on certain input, and finds no barcodes in other input. */
async function writeMisbehavingWorker(): Promise<URL> {
  const file = join(await temporaryFolder(), 'misbehaving.mjs')
  await writeFile(
    file,
    `import { parentPort } from 'node:worker_threads'
     parentPort.on('message', ({ input }) => {
       const text = Buffer.from(input.pdf).toString()
       if (text === 'hangs') for (;;);
       if (text === 'dies') process.exit(1)
       if (text === 'throws') throw new Error('broken')
       if (text === 'uses memory') { const kept = []; for (;;) kept.push(new Array(1e6).fill({})) }
       parentPort.postMessage({ output: { ok: true, value: { symbols: [], findings: [] } } })
     })`,
  )
  return pathToFileURL(file)
}

describe('the barcode worker', () => {
  let script: URL

  beforeAll(async () => {
    script = await buildWorker('barcodeWorker', 'src/main/printing/barcodes/worker.ts')
  })

  it('proves the barcodes of three labels that are requested at the same time', async () => {
    const prover = startProver(script)
    const label = await drawnLabel()
    const answers = await Promise.all([prover.prove(label), prover.prove(label), prover.prove(label)])
    for (const answer of answers) {
      expect(answer.findings).toEqual([])
      expect(answer.proof).toMatchObject({
        kind: 'proved',
        symbols: [
          { symbology: 'code-128', text: symbols.code128.text, grade: 'A' },
          { symbology: 'qr', text: symbols.qr.text, grade: 'A' },
        ],
      })
    }
  })

  it('does not prove an unreadable PDF, and proves the next label', async () => {
    const prover = startProver(script)
    const label = await drawnLabel()
    const rubbish = prover.prove({ ...label, pdf: Buffer.from('rubbish') })
    expect(await rubbish).toEqual({ proof: { kind: 'not-proved', reason: 'failed' }, findings: [] })
    expect(await prover.prove(label)).toMatchObject({ proof: { kind: 'proved' } })
  })

  it.each([
    ['hangs', 'too-slow'],
    ['dies', 'failed'],
    ['throws', 'failed'],
    ['uses memory', 'failed'],
  ] as const)(
    'is replaced when it %s, does not prove that label and proves the next one',
    async (how, reason) => {
      // The time limit also covers the start of the worker that replaces the hanging one.
      const prover = startProver(await writeMisbehavingWorker(), {
        readingMs: how === 'hangs' ? 2000 : 20_000,
      })
      const [bad, good] = [how, 'good'].map((text) =>
        prover.prove({ pdf: Buffer.from(text), layout, bitmaps: [] }),
      )
      expect(await bad).toEqual({ proof: { kind: 'not-proved', reason }, findings: [] })
      expect(await good).toEqual({ proof: { kind: 'proved', symbols: [] }, findings: [] })
    },
  )

  it('does not prove a label that waits longer than the limit behind a slow label', async () => {
    const prover = startProver(await writeMisbehavingWorker(), { waitingMs: 100 })
    const slow = prover.prove({ pdf: Buffer.from('hangs'), layout, bitmaps: [] })
    const behind = await prover.prove({ pdf: Buffer.from('good'), layout, bitmaps: [] })
    expect(behind.proof).toEqual({ kind: 'not-proved', reason: 'too-slow' })
    await prover.close()
    expect((await slow).proof).toEqual({ kind: 'not-proved', reason: 'failed' })
  })
})
