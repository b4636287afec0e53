import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listOrders } from '../../support/orderRows'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, testSimulator } from '../../support/testStation'
import { order } from './exchange'

it.each([
  ['a trailing space', 'ORDER-1 '],
  ['a no-break space', 'ORDER\u00a01'],
])(
  'the result of a held order with %s in its reference is delivered when a batch ships the order',
  async (_, reference) => {
    const folder = await temporaryFolder()
    const { features } = await connectedStation(await temporaryFolder(), await testSimulator(), {
      shipmentDefaults: { carrierId: 1, carrierOptionId: 11, weight: 1, country: 'NL' },
      hotFolder: { path: folder, print: true, mode: 'hold' },
    })
    await expect.poll(() => readdir(folder)).toContain('in')
    await writeFile(join(folder, 'one.json'), JSON.stringify(order(reference)))
    await rename(join(folder, 'one.json'), join(folder, 'in', 'one.json'))
    await expect.poll(async () => (await listOrders(features)).length).toBe(1)
    const batch = await features.batches.begin(
      (await listOrders(features)).map(({ id }) => id),
      'imported',
      false,
    )
    if (!batch.ok) throw new Error(batch.error.message)
    await expect.poll(() => features.batches.current()).toMatchObject({ outcomes: { created: 1 } })
    const readResult = () => readFile(join(folder, 'done', 'one.result.json'), 'utf8').catch(() => '')
    await expect.poll(readResult).toContain('"outcome": "created"')
  },
)
