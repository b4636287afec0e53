import { describe, expect, it } from 'vitest'
import { blockOf, createGridStore, lineAt } from '../../../src/renderer/stores/gridStore'
import type { LineEdit, LinesSummary } from '../../../src/shared/manifest'
import { ok } from '../../../src/shared/result'
import { createFakeBridge } from '../../support/fakeBridge'
import { aLine } from '../../support/manifests/lines'

const manifestId = '6b1f0c8e-7a51-4f53-9d0b-0d8f6a3c1e55'
const summary: LinesSummary = {
  revision: 1,
  lines: 250,
  errors: 0,
  advice: 0,
  totals: { lines: 250, packages: 1, parcels: 250, parcelWeight: 1, prices: [] },
  canUndo: false,
  canRedo: false,
}

function openGrid(readOnly = false) {
  const edits: LineEdit[] = []
  const reads: number[] = []
  const { bridge } = createFakeBridge()
  const grid = createGridStore({
    ...bridge,
    editManifestLines: ({ edit }) => {
      edits.push(edit)
      return Promise.resolve(ok({ ...summary, revision: summary.revision + edits.length }))
    },
    readManifestLines: ({ from, count }) => {
      reads.push(from)
      const rows = Array.from({ length: count }, (_, index) => aLine({ parcelId: `P${from + index}` }))
      return Promise.resolve(ok({ revision: 1, from, rows, issues: [] }))
    },
  })
  grid.getState().open(manifestId, summary, readOnly)
  return { grid, edits, reads }
}

describe('typing', () => {
  it('goes into the cell in which it began, however that is left', async () => {
    const { grid, edits } = openGrid()
    grid.getState().select({ row: 3, column: 4 })
    grid.getState().type('Zoë ')
    grid.getState().select({ row: 9, column: 7 })
    await grid.getState().commit(0, 0)
    expect(edits).toEqual([{ kind: 'put', row: 3, column: 4, values: [['Zoë']] }])
    expect(grid.getState()).toMatchObject({ active: { row: 9, column: 7 }, typing: null })
  })

  it('is left by Enter for the cell below, and by Escape without a change', async () => {
    const { grid, edits } = openGrid()
    grid.getState().select({ row: 0, column: 4 })
    grid.getState().type('A')
    await grid.getState().commit(1, 0)
    grid.getState().type('B')
    grid.getState().type(null)
    expect(edits).toHaveLength(1)
    expect(grid.getState().active).toEqual({ row: 1, column: 4 })
  })

  it('is not possible in a manifest that is locked', async () => {
    const { grid, edits } = openGrid(true)
    grid.getState().type('A')
    await grid.getState().paste([['B']])
    expect(grid.getState().typing).toBeNull()
    expect(edits).toEqual([])
  })
})

describe('lines', () => {
  it('are fetched by the hundred, once, and again after a change', async () => {
    const { grid, reads } = openGrid()
    await grid.getState().ensure(90, 110)
    await grid.getState().ensure(95, 105)
    expect(reads).toEqual([0, 100])
    expect(lineAt(grid.getState().pages, 105)?.[3]).toBe('P105')
    grid.getState().applySummary({ ...summary, revision: 2 })
    await grid.getState().ensure(100, 101)
    expect(reads).toEqual([0, 100, 100])
  })

  it('that are selected are there when they are copied', async () => {
    const { grid, reads } = openGrid()
    grid.getState().select({ row: 0, column: 2 })
    grid.getState().select({ row: 249, column: 5 }, true)
    expect(blockOf(grid.getState())).toEqual({ from: 0, to: 249, left: 2, right: 5 })
    await grid.getState().ensure(0, 249)
    expect(reads).toEqual([0, 100, 200])
  })
})
