import { describe, expect, it } from 'vitest'
import { createGridStore, findLine, getBlock } from '../../../src/renderer/features/manifests/gridStore'
import type { LineEdit, LinesSummary } from '../../../src/shared/consignments'
import { ok } from '../../../src/shared/result'
import { deferred } from '../../support/deferred'
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
  saveError: null,
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

describe('typing into the grid', () => {
  it('fills the cell in which it began, however that cell is left', () => {
    const { grid, edits } = openGrid()
    grid.getState().select({ row: 3, column: 4 })
    grid.getState().type('Zoë ')
    grid.getState().select({ row: 9, column: 7 })
    grid.getState().commit(0, 0)
    expect(edits).toEqual([{ kind: 'put', row: 3, column: 4, values: [['Zoë']] }])
    expect(grid.getState()).toMatchObject({ active: { row: 9, column: 7 }, typing: null })
  })

  it('moves to the cell below on Enter, and changes nothing on Escape', () => {
    const { grid, edits } = openGrid()
    grid.getState().select({ row: 0, column: 4 })
    grid.getState().type('A')
    grid.getState().commit(1, 0)
    grid.getState().type('B')
    grid.getState().type(null)
    expect(edits).toHaveLength(1)
    expect(grid.getState().active).toEqual({ row: 1, column: 4 })
  })

  it('does nothing in a locked manifest', async () => {
    const { grid, edits } = openGrid(true)
    grid.getState().type('A')
    await grid.getState().paste([['B']])
    expect(grid.getState().typing).toBeNull()
    expect(edits).toEqual([])
  })
})

it('the cell that was active beyond the last line moves to the end after lines were removed', () => {
  const { grid, edits } = openGrid()
  grid.getState().select({ row: 60, column: 4 })
  grid.getState().select({ row: 249, column: 4 }, true)
  grid.getState().applySummary({ ...summary, revision: 2, lines: 60 })
  grid.getState().type('A')
  grid.getState().commit(1, 0)
  expect(edits).toEqual([{ kind: 'put', row: 60, column: 4, values: [['A']] }])
})

it('pasted text loses the spaces around it, as typed and imported text does', async () => {
  const { grid, edits } = openGrid()
  await grid.getState().paste([['3SABC ', ' 12.50']])
  expect(edits).toEqual([{ kind: 'put', row: 0, column: 2, values: [['3SABC', '12.50']] }])
})

describe('the editor of a cell', () => {
  it('does not open on a line that is not fetched, so that leaving it erases nothing', () => {
    const { bridge } = createFakeBridge()
    const edits: LineEdit[] = []
    const grid = createGridStore({
      ...bridge,
      editManifestLines: ({ edit }) => {
        edits.push(edit)
        return Promise.resolve(ok(summary))
      },
      readManifestLines: () => new Promise(() => undefined),
    })
    grid.getState().open(manifestId, summary, false)
    grid.getState().select({ row: 3, column: 4 })
    grid.getState().openEditor()
    grid.getState().commit(1, 0)
    expect(edits).toEqual([])
    grid.getState().select({ row: 250, column: 2 })
    grid.getState().openEditor()
    expect(grid.getState().typing).toBe('')
  })

  it('changes the cell only if its text was changed', async () => {
    const { grid, edits } = openGrid()
    await grid.getState().ensureFetched(0, 249)
    grid.getState().select({ row: 5, column: 3 })
    grid.getState().openEditor()
    expect(grid.getState().typing).toBe('P5')
    grid.getState().commit(1, 0)
    grid.getState().openEditor()
    grid.getState().type('P6a')
    grid.getState().commit(1, 0)
    grid.getState().type('P7')
    grid.getState().commit(1, 0)
    grid.getState().select({ row: 250, column: 3 })
    grid.getState().openEditor()
    grid.getState().commit(0, 0)
    expect(edits).toEqual([
      { kind: 'put', row: 6, column: 3, values: [['P6a']] },
      { kind: 'put', row: 7, column: 3, values: [['P7']] },
    ])
    expect(grid.getState().summary?.lines).toBe(250)
  })
})

/** A manifest without lines; the test answers its edits. */
function emptyGrid() {
  const edits: LineEdit[] = []
  const answers: ((lines: number) => void)[] = []
  const { bridge } = createFakeBridge()
  const grid = createGridStore({
    ...bridge,
    editManifestLines({ edit }) {
      edits.push(edit)
      return new Promise((resolve) => answers.push((lines) => resolve(ok({ ...summary, lines }))))
    },
  })
  grid.getState().open(manifestId, { ...summary, lines: 0 }, false)
  const scan = (code: string) => {
    grid.getState().type(code)
    grid.getState().commit(1, 0)
  }
  return { grid, edits, answers, scan }
}

describe('codes scanned in quick succession', () => {
  const put = (row: number, text: string) => ({ kind: 'put', row, column: 2, values: [[text]] })

  it('each get their own line, even before the first edit is answered', () => {
    const { grid, edits, scan } = emptyGrid()
    for (const code of ['3SA', '3SB', '3SC']) scan(code)
    expect(edits).toEqual([put(0, '3SA'), put(1, '3SB'), put(2, '3SC')])
    expect(grid.getState().active).toEqual({ row: 3, column: 2 })
  })

  it('keep their lines when the answers to earlier edits arrive', async () => {
    const { grid, answers, scan } = emptyGrid()
    for (const code of ['3SA', '3SB']) scan(code)
    grid.getState().type('3S')
    for (const [index, answer] of answers.entries()) {
      const { version } = grid.getState()
      answer(index + 1)
      await expect.poll(() => grid.getState().version).toBe(version + 1)
      expect(grid.getState()).toMatchObject({ typing: '3S', active: { row: 2 }, summary: { lines: 2 } })
    }
  })
})

describe('the lines of the grid', () => {
  it('are fetched a hundred at a time, once, and again after a change', async () => {
    const { grid, reads } = openGrid()
    await grid.getState().ensureFetched(90, 110)
    await grid.getState().ensureFetched(95, 105)
    expect(reads).toEqual([0, 100])
    expect(findLine(grid.getState().pages, 105)?.[3]).toBe('P105')
    grid.getState().applySummary({ ...summary, revision: 2 })
    await grid.getState().ensureFetched(100, 101)
    // The page of the active cell is fetched by itself, so that it can be copied.
    expect(reads).toEqual([0, 100, 0, 100])
  })

  it('are fetched when they are selected, so that they can be copied', async () => {
    const { grid, reads } = openGrid()
    grid.getState().select({ row: 0, column: 2 })
    grid.getState().select({ row: 249, column: 5 }, true)
    expect(getBlock(grid.getState())).toEqual({ from: 0, to: 249, left: 2, right: 5 })
    expect(reads).toEqual([0, 100, 200])
  })

  it('are copied without the empty line at the end that a selection reaches', async () => {
    const { grid } = openGrid()
    grid.getState().select({ row: 248, column: 3 })
    grid.getState().move(20, 0, true)
    expect(getBlock(grid.getState()).to).toBe(250)
    await expect.poll(() => grid.getState().readSelection()).toEqual([['P248'], ['P249']])
  })

  it('get no pasted values beyond their last column', async () => {
    const { grid, edits } = openGrid()
    grid.getState().select({ row: 0, column: 27 })
    await grid.getState().paste([Array.from({ length: 40 }, (_, index) => String(index))])
    expect(edits).toEqual([{ kind: 'put', row: 0, column: 27, values: [['0', '1']] }])
  })

  it('are copied only as they are after the last change', async () => {
    const { bridge } = createFakeBridge()
    const edited = deferred<Awaited<ReturnType<typeof bridge.editManifestLines>>>()
    let revision = 1
    const grid = createGridStore({
      ...bridge,
      editManifestLines: () => edited.promise,
      readManifestLines: async ({ from, count }) =>
        ok({ revision, from, rows: Array(count).fill(aLine({ parcelId: `R${revision}` })), issues: [] }),
    })
    grid.getState().open(manifestId, summary, false)
    grid.getState().select({ row: 0, column: 3 })
    grid.getState().select({ row: 249, column: 3 }, true)
    const copied = () => grid.getState().readSelection()?.[249]
    await expect.poll(copied).toEqual(['R1'])
    void grid.getState().edit({ kind: 'fill', from: 0, to: 249, left: 3, right: 3 })
    expect(copied()).toBeUndefined()
    revision = 2
    edited.resolve(ok({ ...summary, revision }))
    await expect.poll(copied).toEqual(['R2'])
    // A check changes no line.
    grid.getState().applySummary({ ...summary, revision, advice: 1 })
    expect(copied()).toEqual(['R2'])
  })
})
