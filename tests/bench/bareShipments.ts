import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Pool, request } from 'undici'
import { z } from 'zod'
import { shipmentToWire } from '../../src/main/carrier/shipmentCodec'
import { demoCredentials } from '../../src/simulator/account'
import { aDraft } from '../support/drafts'

const signedIn = z.object({ apikey: z.string() })
const created = z.object({ labels: z.array(z.object({ content: z.string() })) })

/** The reference for creations: signs in, posts the draft, decodes the label, writes and syncs its file, and does nothing else. */
export interface BareShipments {
  /** @returns the label */
  ship(reference: string): Promise<Buffer>
  close(): Promise<void>
}

/** Signs in at a simulator. Labels are written into an existing folder. */
export async function bareShipments(baseUrl: string, folder: string): Promise<BareShipments> {
  const { origin, pathname } = new URL(baseUrl)
  const { user, password } = demoCredentials
  const answer = await request(`${baseUrl}/auth`, { headers: { AUTH_USER: user, AUTH_PW: password } })
  const { apikey } = signedIn.parse(await answer.body.json())
  const pool = new Pool(origin, { connections: 4, pipelining: 1 })
  return {
    async ship(reference) {
      const { body } = await pool.request({
        method: 'POST',
        path: `${pathname}/action/${apikey}/101?o=JSON&DO=Y`,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(shipmentToWire(aDraft({ reference }))),
      })
      const [label] = created.parse(await body.json()).labels
      const bytes = Buffer.from(label?.content ?? '', 'base64')
      const file = await open(join(folder, `${reference}.pdf`), 'w')
      await file.writeFile(bytes)
      await file.sync()
      await file.close()
      return bytes
    },
    close: () => pool.close(),
  }
}
