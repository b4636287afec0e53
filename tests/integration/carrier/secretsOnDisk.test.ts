import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../support/temporaryFolder'
import { stationOn } from '../../support/testStation'
import { draft } from './fixtures'
import { httpText, jsonText, type RawServer, startRawServer } from './rawServer'

const user = 'station-user'
const password = 'station-password'
const apiKey = 'k3y-0f-the-station'
const labelToken = 't0ken-of-the-label'
const secrets = [user, password, apiKey, labelToken]

let server: RawServer | undefined

afterEach(() => server?.close())

/** The content of all files under a folder, as one text. */
function everythingIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}

/** Creates one shipment at a service with this answer. Returns the shipment and the content of the data folder. */
async function shipAt(answerTo: (origin: string) => Buffer) {
  const started = await startRawServer((socket, { requestLine }) => {
    if (requestLine.startsWith('GET /auth'))
      socket.write(jsonText({ state: 'true', Errors: '', apikey: apiKey }))
    else if (requestLine.startsWith('POST')) socket.write(answerTo(started.origin))
    else socket.write(httpText(404, ''))
  })
  server = started
  const folder = await temporaryFolder()
  const station = await stationOn(folder)
  const features = await station.start()
  if (!features.ok) throw new Error(features.error.message)
  const { session, shipping } = features.value
  const connected = await session.connect({ baseUrl: started.origin, user, password })
  if (!connected.ok) throw new Error(connected.error.message)
  const shipment = await shipping.create({
    attemptId: 'attempt-1',
    draft,
    origin: 'screen',
    print: false,
    takenAt: new Date(),
  })
  if (!shipment.ok) throw new Error(shipment.error.message)
  await station.stop()
  return { shipment: shipment.value, disk: everythingIn(folder) }
}

describe('the data folder after an answer that quotes secrets', () => {
  it.each([
    [
      'refuses the creation',
      'refused',
      { state: 'false', Errors: `Account ${user} with ${password} may not use ${apiKey}` },
    ],
    ['answers without a status', 'unknown', { Errors: `Account ${user} with ${password}`, Barcode: '3S1' }],
  ])('contains none of them when the service %s', async (_name, state, answer) => {
    const { shipment, disk } = await shipAt(() => jsonText(answer))
    expect(shipment.state).toBe(state)
    expect(disk).toContain('Account [redacted] with [redacted]')
    for (const secret of secrets) expect(`${JSON.stringify(shipment)}${disk}`).not.toContain(secret)
  })

  it('contains none of them when the service creates the shipment', async () => {
    const { shipment, disk } = await shipAt((origin) => {
      const url = `${origin}/labels/${labelToken}`
      const message = `Label of ${user}: ${url}`
      return jsonText({ state: 'true', Errors: '', message, Barcode: '3S1', trace: url, url })
    })
    expect(shipment).toMatchObject({ state: 'created', barcodes: ['3S1'] })
    expect(disk).toContain('Label of [redacted]: [redacted]')
    for (const secret of secrets) expect(`${JSON.stringify(shipment)}${disk}`).not.toContain(secret)
  })

  it.each([
    [
      'under another name',
      'created',
      (url: string) => jsonText({ status: true, Barcode: '3S1', pdf: { link: url } }),
    ],
    [
      'inside another text',
      'created',
      (url: string) => jsonText({ status: true, Barcode: '3S1', note: `at ${url}!` }),
    ],
    [
      'as the name of a field',
      'created',
      (url: string) => jsonText({ status: true, Barcode: '3S1', [url]: 1 }),
    ],
    [
      'in a truncated answer',
      'unknown',
      (url: string) => httpText(200, `{"state":"true","Barcode":"3S1","url":"${url}","message":"cut o`),
    ],
    [
      'with escaped slashes in an answer truncated inside the URL',
      'unknown',
      (url: string) => httpText(200, `{"state":"true","url":"${url.replaceAll('/', '\\/')}`),
    ],
    [
      'without a host in an answer with invalid JSON',
      'unknown',
      (url: string) => httpText(200, `["url":"${new URL(url).pathname}"}`),
    ],
    ['on a web page', 'unknown', (url: string) => httpText(200, `<a href="${url}">label</a> for ${user}`)],
  ])('contains no label URL that the service returns %s', async (_name, state, answer) => {
    const { shipment, disk } = await shipAt((origin) => answer(`${origin}/labels/${labelToken}`))
    expect(shipment.state).toBe(state)
    expect(disk).toContain('"isCut":')
    for (const secret of [user, password, labelToken]) {
      expect(`${JSON.stringify(shipment)}${disk}`).not.toContain(secret)
    }
  })

  it('contains nothing of a compressed answer that cannot be decompressed', async () => {
    const body = Buffer.from('label-of-the-shipment')
    const { shipment, disk } = await shipAt(() => httpText(200, body, { 'Content-Encoding': 'zstd' }))
    expect(shipment.state).toBe('unknown')
    expect(disk).toContain('"text":null')
    expect(disk).not.toContain(body.toString())
  })

  it('contains barcodes and labels unchanged although they include a secret', async () => {
    const content = Buffer.from(`%PDF-1.7 ${password}`).toString('base64')
    const { shipment, disk } = await shipAt(() =>
      jsonText({ status: true, labels: [{ barcode: `3S-${user}`, encodeType: 'base64', content }] }),
    )
    expect(shipment.barcodes).toEqual([`3S-${user}`])
    expect(disk).toContain(`"content":"${content}"`)
  })
})
