import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Libsql from 'libsql'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { aDraft } from '../support/drafts'
import { launch } from './support/drivenApp'
import { startStation } from './support/provisioned'

const shipped = z.object({ ok: z.literal(true) })

/** Opens the database, reads and closes it, as an administrator's program does. */
function readReferences(path: string): unknown {
  const database = new Libsql(path)
  try {
    return database.prepare('select reference from shipments order by number').pluck().all()
  } finally {
    database.close()
  }
}

it('a station loses no shipment while another program reads its database', async () => {
  const first = await startStation()
  const { data, provision } = first
  const path = join(data, 'packbench.db')
  await first.app.close()
  // The first start creates the database; later starts find one and check its state and version.
  for (let start = 0; start < 3; start += 1) {
    const { app, page } = await launch(data, [provision])
    readReferences(path)
    expect(existsSync(`${path}-wal`)).toBe(true)
    const input = {
      attemptId: randomUUID(),
      draft: aDraft({ reference: `LOCK-${start}`, carrierId: 1, carrierOptionId: 11 }),
    }
    shipped.parse(await page.evaluate((each) => window.packbench.createShipment(each), input))
    expect(readReferences(path)).toContain(`LOCK-${start}`)
    await app.close()
  }
})
