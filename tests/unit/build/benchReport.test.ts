import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type Figure,
  judge,
  type MeasuredPart,
  mergeParts,
  readFigure,
  readParts,
  suites,
  toMarkdown,
  toRow,
  toSummary,
} from '../../../build/benchReport.mjs'
import { repoDir } from '../../../build/paths.mjs'

const reference = { name: 'an empty window', value: 500 }

function measured(part: string, ...figures: Figure[]): MeasuredPart {
  const run = { at: '2026-11-22T10:20:30.000Z', machine: '2 cores', load: 0.4, commit: 'abc1234' }
  return { suite: 'start', part, run, figures }
}

describe('judge', () => {
  it('judges the ratio to the reference when there is one', () => {
    const figure = { name: 'a start', value: 800, unit: 'ms', reference, atMost: 1.5 }
    expect(judge(figure)).toEqual({ ratio: 1.6, goal: 'at most 1.5 x', verdict: 'missed' })
    expect(judge({ ...figure, value: 700 }).verdict).toBe('met')
  })

  it('judges the difference, or the value itself, when the figure requests that', () => {
    const figure = { name: 'a label', value: 505, unit: 'ms', reference }
    const difference = judge({ ...figure, judged: 'difference', atMost: 4 })
    expect(difference).toMatchObject({ goal: 'at most 4 ms more', verdict: 'missed' })
    expect(judge({ ...figure, judged: 'value', atMost: 510 })).toMatchObject({
      goal: 'at most 510 ms',
      verdict: 'met',
    })
  })

  it('judges the value when there is no reference, also against a lower bound', () => {
    expect(judge({ name: 'rate', value: 3, unit: '/s', atLeast: 3.5 })).toEqual({
      ratio: undefined,
      goal: 'at least 3.5 /s',
      verdict: 'missed',
    })
  })

  it('gives no verdict without a goal', () => {
    expect(judge({ name: 'a start', value: 800, unit: 'ms', reference })).toMatchObject({
      goal: '',
      verdict: 'none',
    })
  })

  it('reports a figure that could not be measured as missed', () => {
    expect(judge({ name: 'a start', value: Number.NaN, unit: 'ms', atMost: 5 }).verdict).toBe('missed')
  })
})

describe('toRow', () => {
  it('shows figure, reference, ratio, goal and verdict, and below them the name of the reference and the note', () => {
    const row = toRow({
      name: 'a start',
      value: 812.34,
      unit: 'ms',
      reference,
      atMost: 1.5,
      note: 'median of 5',
    })
    expect(row.split('\n').map((line) => line.trim().split(/\s{2,}/))).toEqual([
      ['a start', '812 ms', '500 ms', '1.62', 'at most 1.5 x', 'missed'],
      ['reference: an empty window'],
      ['median of 5'],
    ])
  })
})

describe('toSummary', () => {
  it('counts the goals that are met and names the missed ones', () => {
    const figures = [
      { name: 'quick', value: 1, unit: 'ms', atMost: 5 },
      { name: 'slow', value: 9, unit: 'ms', atMost: 5 },
      { name: 'told', value: 9, unit: 'ms' },
    ]
    expect(toSummary(figures)).toBe('1 of 2 goals are met, 1 figures have none\n  missed: slow')
  })
})

describe('mergeParts', () => {
  it('replaces the parts that were measured again and keeps the others', () => {
    const [old, other] = [measured('empty'), measured('long')]
    const again = measured('empty', { name: 'a start', value: 700, unit: 'ms' })
    expect(mergeParts([old, other], [again])).toEqual([again, other])
  })
})

describe('toMarkdown', () => {
  it('writes a table for each part with time, machine and commit of the measurement', () => {
    const slow = { name: 'a start', value: 800, unit: 'ms', reference, atMost: 1.5 }
    const page = toMarkdown([measured('empty', slow)], { f9: 'Key to label', start: 'Start' })
    expect(page).toContain('## Start')
    expect(page).not.toContain('## Key to label')
    expect(page).toContain('2026-11-22 10:20 UTC, commit abc1234, load 0.4 on 2 cores')
    expect(page).toContain(
      '| a start; reference: an empty window | 800 ms | 500 ms | 1.6 | at most 1.5 x | **missed** |',
    )
  })
})

describe('readFigure', () => {
  it('reads a figure of another process and throws on anything else', () => {
    const figure = { name: 'a claim', value: 3, unit: 'ms', atMost: 5 }
    expect(readFigure(JSON.stringify(figure))).toEqual(figure)
    expect(() => readFigure('{"name":"a claim"}')).toThrow()
  })
})

describe('docs/figures.md', () => {
  it('is generated from docs/figures.json, so that no figure in it was typed', () => {
    const docs = join(repoDir, 'docs')
    const parts = readParts(readFileSync(join(docs, 'figures.json'), 'utf8'))
    expect(readFileSync(join(docs, 'figures.md'), 'utf8')).toBe(toMarkdown(parts, suites))
  })
})
