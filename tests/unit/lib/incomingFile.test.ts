import {
  appendFileSync,
  lstatSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { findOrderFormat } from '../../../src/main/hotFolder/folders'
import { IncomingFile, type Trace } from '../../../src/main/lib/incomingFile'
import { readAtRest, toStamp } from '../../../src/main/lib/plainFiles'
import { makePipe } from '../../support/makePipe'

const folder = mkdtempSync(join(tmpdir(), 'incoming-'))
afterAll(() => rmSync(folder, { recursive: true }))

const times = { restMs: 10_000, cutOffMs: 60_000 }

function arrive(name: string, text: string, writtenAt?: Date): IncomingFile {
  const path = join(folder, name)
  writeFileSync(path, text)
  if (writtenAt !== undefined) utimesSync(path, writtenAt, writtenAt)
  return new IncomingFile(name, path, findOrderFormat(name) ?? 'json', lstatSync(path, { bigint: true }))
}

const yesterday = new Date(Date.now() - 86_400_000)
const said = (trace: Trace | undefined) => () => trace

describe('the rest that a file needs when every write is reported', () => {
  it('is zero for a file that was renamed into place, whatever its timestamps', async () => {
    expect(await arrive('a.json', '{}').restNeeded(times, said('moved'))).toBe(0)
    expect(await arrive('a.csv', 'reference\nA').restNeeded(times, said('moved'))).toBe(0)
  })

  it.each([
    ['was written to', '{}', 'written'],
    ['was there before the watch began', '{}', undefined],
    ['is empty', '', 'moved'],
    ['ends too early', '[{"reference": "A"', 'moved'],
  ] as const)('is the usual time when the file %s', async (_, text, trace) => {
    const rest = await arrive('b.json', text, yesterday).restNeeded(times, said(trace))
    expect(rest).toBeGreaterThan(9_000)
    expect(rest).toBeLessThanOrEqual(10_000)
  })

  it('is the usual time when a write is reported during the inspection', async () => {
    const traces: Trace[] = ['moved', 'written']
    const rest = await arrive('c.json', '{}').restNeeded(times, () => traces.shift())
    expect(rest).toBeGreaterThan(9_000)
  })
})

describe('the rest that a file needs when single writes are not reported', () => {
  it('is zero for complete content that was written before the file appeared', async () => {
    expect(await arrive('d.json', '{}', yesterday).restNeeded(times, null)).toBe(0)
    expect(await arrive('d.csv', 'reference\nA\n', yesterday).restNeeded(times, null)).toBe(0)
  })

  it.each([
    ['d.json', '[1, 2'],
    ['d.json', 'no JSON'],
    ['d.csv', 'reference\nA'],
  ])('is the usual time when the file may be incomplete: %s with %j', async (name, text) => {
    expect(await arrive(name, text, yesterday).restNeeded(times, null)).toBeGreaterThan(9_000)
  })
})

describe('a file at rest', () => {
  const rested = { restMs: 0, cutOffMs: 60_000 }

  it('needs no further rest, whatever its content', async () => {
    expect(await arrive('e.json', 'no JSON').restNeeded(rested, said('written'))).toBe(0)
    expect(await arrive('e.csv', 'a\nb').restNeeded(rested, said('written'))).toBe(0)
  })

  it.each(['g.csv', 'g.json', 'g.xlsx'])('needs a longer rest while it is empty: %s', async (name) => {
    expect(await arrive(name, '').restNeeded(rested, said('written'))).toBeGreaterThan(50_000)
  })

  it('needs a longer rest while its JSON is incomplete', async () => {
    const file = arrive('f.json', '{"reference": ')
    expect(await file.restNeeded(rested, said('written'))).toBeGreaterThan(50_000)
    writeFileSync(join(folder, 'f.json'), '{"reference": "A"}')
    file.see(lstatSync(join(folder, 'f.json'), { bigint: true }))
    expect(await file.restNeeded(rested, said('written'))).toBe(0)
  })
})

describe('reading a file at rest', () => {
  const path = join(folder, 'order.csv')
  const stamp = () => toStamp(lstatSync(path, { bigint: true }))

  it('reads an unchanged file at once', async () => {
    writeFileSync(path, 'one')
    const read = await readAtRest(path, stamp(), 100, () => Promise.reject(new Error('it waited')))
    expect(read).toEqual({ content: Buffer.from('one'), stamp: stamp() })
  })

  it('waits until no program writes to the file any more', async () => {
    writeFileSync(path, 'one')
    const before = stamp()
    appendFileSync(path, ' two')
    let waits = 0
    const read = await readAtRest(path, before, 100, async () => {
      waits += 1
      if (waits === 1) appendFileSync(path, ' three')
    })
    expect(read).toEqual({ content: Buffer.from('one two three'), stamp: stamp() })
    expect(waits).toBe(2)
  })

  it('fails when the wait throws, and does not read files above the size limit', async () => {
    writeFileSync(path, 'one')
    const giveUp = () => Promise.reject(new Error('given up'))
    await expect(readAtRest(path, undefined, 100, giveUp)).rejects.toThrow('given up')
    expect(await readAtRest(path, stamp(), 2, async () => undefined)).toMatchObject({ content: 'too-large' })
  })
  it.skipIf(process.platform === 'win32')('refuses links and pipes without waiting', async () => {
    writeFileSync(path, 'one')
    symlinkSync(path, join(folder, 'link.csv'))
    makePipe(join(folder, 'pipe.csv'))
    for (const name of ['link.csv', 'pipe.csv']) {
      const other = join(folder, name)
      const read = readAtRest(other, undefined, 100, async () => undefined)
      await expect(read).rejects.toThrow('is a link or no plain file')
      const seen = new IncomingFile(name, other, 'csv', lstatSync(path, { bigint: true }))
      expect(await seen.restNeeded({ restMs: 0, cutOffMs: 0 }, said('written'))).toBe(0)
    }
  })
})
