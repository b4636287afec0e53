import { type Dispatcher, Pool, request } from 'undici'
import { z } from 'zod'

const query = 'flight_tracking_setting=include&lang=en&type=barcode&tracking_details=full'
const signedIn = z.object({ apikey: z.string() })

/** The reference for the figures of tracking: undici and JSON parsing only. */
export interface BareTracking {
  one(code: string): Promise<void>
  /** Chunks of `size`, `parallel` at a time; resolves when all answers are parsed. */
  many(codes: readonly string[], size: number, parallel: number): Promise<void>
  close(): Promise<void>
}

/** Signs in at a simulator and returns the bare requests. */
export async function bareTracking(baseUrl: string, user: string, password: string): Promise<BareTracking> {
  const { origin, pathname } = new URL(baseUrl)
  const answer = await request(`${baseUrl}/auth`, { headers: { AUTH_USER: user, AUTH_PW: password } })
  const { apikey } = signedIn.parse(await answer.body.json())
  const pool = new Pool(origin, { connections: 6, pipelining: 1 })
  const path = `${pathname}/get_tracking_information/${apikey}`
  const send = async (options: Dispatcher.RequestOptions) => {
    const { body } = await pool.request({ ...options, reset: false })
    await body.json()
  }
  return {
    one: (code) => send({ method: 'GET', path: `${path}/${encodeURIComponent(code)}?${query}` }),
    async many(codes, size, parallel) {
      let next = 0
      const work = async () => {
        while (next < codes.length) {
          const chunk = codes.slice(next, next + size)
          next += size
          await send({
            method: 'GET',
            path: `${path}?${query}`,
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify(chunk),
          })
        }
      }
      await Promise.all(Array.from({ length: parallel }, work))
    },
    close: () => pool.close(),
  }
}
