import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { keptReadings } from '../../support/printing/keptReadings'
import { temporaryFolder } from '../../support/temporaryFolder'

const dpi = { dpi: 203 }
const zpl = Buffer.from('^XA^XZ')
const days = Array.from({ length: 20 }, (_, day) => day * 86_400_000)

/** A list of one reading, and how often a run that finds it has to scan. */
async function listOfOne() {
  const file = join(await temporaryFolder(), 'list.json')
  await writeFile(file, '{}')
  const first = keptReadings(file, { anew: 'keep' })
  await first.read('label', [zpl], dpi, async () => [['12']])
  first.end()
  const scans = async (
    run: Parameters<typeof keptReadings>[1],
    { data = [zpl], how = dpi }: { data?: Buffer[]; how?: object } = {},
  ) => {
    let count = 0
    const read = await keptReadings(file, run).read('label', data, how, async () => {
      count += 1
      return [['12']]
    })
    expect(read).toEqual([['12']])
    return count
  }
  return { file, scans }
}

it('what was read is not read again, but on one day of twenty', async () => {
  const { scans } = await listOfOne()
  let made = 0
  for (const now of days) made += await scans({ now, anew: undefined })
  expect(made).toBe(1)
})

it('is read when a byte of the data, their parts or the way of reading differ, each day', async () => {
  const { scans } = await listOfOne()
  for (const now of days) {
    const run = { now, anew: undefined }
    expect(await scans(run, { data: [Buffer.from('^XA^XY')] })).toBe(1)
    expect(await scans(run, { data: [Buffer.from('^XA'), Buffer.from('^XZ')] })).toBe(1)
    expect(await scans(run, { how: { dpi: 300 } })).toBe(1)
  }
})

it('is read when all is asked for', async () => {
  const { scans } = await listOfOne()
  for (const now of days) expect(await scans({ now, anew: 'all' })).toBe(1)
})

it('the list is written by a run that keeps what it read, and by no other', async () => {
  const { file } = await listOfOne()
  const before = await readFile(file, 'utf8')
  const other = keptReadings(file, { anew: 'all' })
  await other.read('label', [Buffer.from('^XA^XY')], dpi, async () => [['13']])
  other.end()
  expect(await readFile(file, 'utf8')).toBe(before)
  const keeping = keptReadings(file, { anew: 'keep' })
  await keeping.read('label', [Buffer.from('^XA^XY')], dpi, async () => [['13']])
  keeping.end()
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ label: { read: [['13']] } })
})
