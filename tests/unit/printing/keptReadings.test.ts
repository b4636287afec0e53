import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { keptReadings } from '../../support/printing/keptReadings'
import { temporaryFolder } from '../../support/temporaryFolder'

const dpi = { dpi: 203 }
const zpl = Buffer.from('^XA^XZ')
const days = Array.from({ length: 20 }, (_, day) => day * 86_400_000)

/** A list with one stored reading, and a function that counts the scans of a run with this list. */
async function listOfOne() {
  const file = join(await temporaryFolder(), 'list.json')
  await writeFile(file, '{}')
  const first = keptReadings(file, { mode: 'keep' })
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

it('repeats a stored reading on only one day of twenty', async () => {
  const { scans } = await listOfOne()
  let made = 0
  for (const now of days) made += await scans({ now, mode: undefined })
  expect(made).toBe(1)
})

it('reads on every day when a byte of the data, their parts or the reading settings differ', async () => {
  const { scans } = await listOfOne()
  for (const now of days) {
    const run = { now, mode: undefined }
    expect(await scans(run, { data: [Buffer.from('^XA^XY')] })).toBe(1)
    expect(await scans(run, { data: [Buffer.from('^XA'), Buffer.from('^XZ')] })).toBe(1)
    expect(await scans(run, { how: { dpi: 300 } })).toBe(1)
  }
})

it('repeats a stored reading on every day when all readings are requested', async () => {
  const { scans } = await listOfOne()
  for (const now of days) expect(await scans({ now, mode: 'all' })).toBe(1)
})

it('writes the list only in a run that is told to keep its readings', async () => {
  const { file } = await listOfOne()
  const before = await readFile(file, 'utf8')
  const other = keptReadings(file, { mode: 'all' })
  await other.read('label', [Buffer.from('^XA^XY')], dpi, async () => [['13']])
  other.end()
  expect(await readFile(file, 'utf8')).toBe(before)
  const keeping = keptReadings(file, { mode: 'keep' })
  await keeping.read('label', [Buffer.from('^XA^XY')], dpi, async () => [['13']])
  keeping.end()
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ label: { read: [['13']] } })
})
