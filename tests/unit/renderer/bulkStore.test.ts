import { describe, expect, it } from 'vitest'
import { createBulkStore } from '../../../src/renderer/features/track/bulkStore'
import { ok } from '../../../src/shared/result'
import type { BulkRow } from '../../../src/shared/tracking'
import { createFakeBridge } from '../../support/fakeBridge'
import { sampleProgress } from '../../support/fakeTracking'

const options = { flightTracking: 'include', language: 'en', type: 'barcode', details: 'full' } as const

function rows(...codes: string[]): string {
  const all: BulkRow[] = codes.map((code) => ({
    code,
    found: true,
    lastStatus: null,
    eventCount: 0,
    shipment: null,
  }))
  return JSON.stringify(all)
}

const shown = (store: ReturnType<typeof createBulkStore>) =>
  store.getState().table.rows.map(({ code }) => code)

describe('bulk look-up in the window', () => {
  it('shows rows in the requested order at the end, whatever order they arrive in', async () => {
    const store = createBulkStore(createFakeBridge().bridge)
    store.getState().setText('A\nB\nC')
    await store.getState().start(options)
    store.getState().applyProgress(sampleProgress({ total: 3, answered: 2, rows: rows('C', 'A') }))
    expect(shown(store)).toEqual(['C', 'A'])
    store.getState().applyProgress(sampleProgress({ state: 'ended', answered: 3, rows: rows('B') }))
    expect(shown(store)).toEqual(['A', 'B', 'C'])
  })

  it('ends the reading state when a dropped file can’t be read', async () => {
    const store = createBulkStore(createFakeBridge().bridge)
    const file = new File(['A'], 'codes.csv')
    const gone = () => Promise.reject(new DOMException('gone', 'NotReadableError'))
    Object.defineProperty(file, 'arrayBuffer', { value: gone })
    await store.getState().dropFile(file)
    expect(store.getState()).toMatchObject({
      reading: false,
      error: { code: 'table-unreadable', details: { file: 'codes.csv', fault: 'not-opened' } },
    })
  })

  it('names the codes without an answer once the look-up has ended', async () => {
    const store = createBulkStore(createFakeBridge().bridge)
    store.getState().setText('A\nB\nC')
    await store.getState().start(options)
    store.getState().applyProgress(sampleProgress({ total: 3, answered: 1, rows: rows('B') }))
    expect(store.getState().unanswered).toEqual([])
    store.getState().applyProgress(sampleProgress({ state: 'ended', answered: 1, failed: 2 }))
    expect(store.getState().unanswered).toEqual(['A', 'C'])
  })

  it('accepts rows that arrive before the job’s id is known, and ignores rows of the previous job', async () => {
    const { bridge } = createFakeBridge()
    const store = createBulkStore({
      ...bridge,
      startBulkTracking: async () => {
        store.getState().applyProgress(sampleProgress({ jobId: 'second', rows: rows('A') }))
        return ok(sampleProgress({ jobId: 'second' }))
      },
    })
    store.getState().setText('A')
    await store.getState().start(options)
    expect(shown(store)).toEqual(['A'])
    const former = sampleProgress({ jobId: 'second', rows: rows('OLD') })
    store.setState({ progress: { ...former, state: 'running' } })
    const starting = store.getState().start(options)
    store.getState().applyProgress(former)
    await starting
    expect(shown(store)).not.toContain('OLD')
  })

  it('accepts the end of a resumed run that arrives before main’s answer', async () => {
    const { bridge } = createFakeBridge()
    const store = createBulkStore({
      ...bridge,
      resumeBulkTracking: async () => {
        store
          .getState()
          .applyProgress(sampleProgress({ state: 'ended', total: 1, answered: 1, rows: rows('A') }))
        return ok(sampleProgress({ total: 1 }))
      },
    })
    store.getState().setText('A')
    await store.getState().start(options)
    store.getState().applyProgress(sampleProgress({ state: 'ended', total: 1, failed: 1 }))
    await store.getState().resume()
    expect(store.getState().progress).toMatchObject({ state: 'ended', answered: 1 })
    expect(shown(store)).toEqual(['A'])
  })

  it('requests nothing without a code', async () => {
    const store = createBulkStore(createFakeBridge().bridge)
    store.getState().setText(' \n\n')
    await store.getState().start(options)
    expect(store.getState()).toMatchObject({ hasNoCodes: true, progress: null })
  })

  it('turns a long paste into a list with counts, and leaves a short one as text', () => {
    const store = createBulkStore(createFakeBridge().bridge)
    expect(store.getState().loadLongPaste('A\nB')).toBe(false)
    const lines = Array.from({ length: 300 }, (_, at) => `CODE-${at}`)
    expect(store.getState().loadLongPaste([...lines, 'CODE-0', ''].join('\n'))).toBe(true)
    expect(store.getState().loaded).toMatchObject({ duplicates: 1, empty: 0, file: null })
    expect(store.getState().loaded?.codes).toHaveLength(300)
  })

  it('sorts a column ascending, then descending, then not at all', () => {
    const store = createBulkStore(createFakeBridge().bridge)
    const sorts = [1, 2, 3].map(() => {
      store.getState().sortBy('code')
      return store.getState().view.sort
    })
    expect(sorts).toEqual([{ column: 'code', descending: false }, { column: 'code', descending: true }, null])
  })
})
