import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { launch } from './support/drivenApp'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { fillShipment, open, outcome, printed } from './support/screens'
import { watchedElectron, whyNotWatched } from './support/watchedNetwork'

const unwatched = whyNotWatched()

/** A UDP port and a TCP port on loopback that record received messages and connections. */
async function listenOnBoth() {
  const received: string[] = []
  const udp = createSocket('udp4').on('message', () => received.push('udp'))
  udp.bind(0, '127.0.0.1')
  await once(udp, 'listening')
  const tcp = createServer((socket) => {
    received.push('tcp')
    socket.on('error', () => undefined).end()
  })
  await new Promise<void>((resolve) => tcp.listen(udp.address().port, '127.0.0.1', resolve))
  onTestFinished(() => {
    udp.close()
    tcp.close()
  })
  return { port: udp.address().port, received }
}

/** Tries every way in which a page can reach a network; returns the names of those that worked. */
function tryNetworkAccess(page: Page, target: string): Promise<string[]> {
  return page.evaluate(async (host) => {
    const attempts: Record<string, () => unknown> = {
      fetch: () => fetch(`http://${host}/fetch`),
      socket: () => ended(new WebSocket(`ws://${host}/socket`), 'open'),
      events: () => ended(new EventSource(`http://${host}/events`), 'open'),
      image: () => added('img', { src: `http://${host}/image.png` }),
      script: () => added('script', { src: `http://${host}/script.js` }),
      style: () => added('link', { rel: 'stylesheet', href: `http://${host}/style.css` }),
      object: () => added('object', { data: `http://${host}/object` }),
      video: () => added('video', { src: `http://${host}/video.mp4` }),
      transport: () => new WebTransport(`https://${host}/transport`).ready,
      stun: () => gathered([{ urls: `stun:${host}` }]),
      turn: () =>
        gathered([
          {
            urls: [`turn:${host}?transport=udp`, `turn:${host}?transport=tcp`],
            username: 'u',
            credential: 'c',
          },
        ]),
    }
    function ended(target: EventTarget, good: string) {
      return new Promise((resolve, reject) => {
        target.addEventListener(good, resolve)
        target.addEventListener('error', reject)
      })
    }
    function added(tag: string, attributes: Record<string, string>) {
      const element = document.createElement(tag)
      const done = ended(element, tag === 'video' ? 'loadeddata' : 'load')
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
      document.body.append(element)
      return done
    }
    async function gathered(iceServers: RTCIceServer[]) {
      const connection = new RTCPeerConnection({ iceServers, iceCandidatePoolSize: 1 })
      connection.createDataChannel('x')
      const done = new Promise<void>((resolve) => {
        connection.addEventListener('icegatheringstatechange', () => {
          if (connection.iceGatheringState === 'complete') resolve()
        })
      })
      const candidates: string[] = []
      connection.addEventListener('icecandidate', ({ candidate }) => {
        if (candidate !== null && candidate.candidate !== '') candidates.push(candidate.candidate)
      })
      await connection.setLocalDescription(await connection.createOffer())
      await done
      connection.close()
      if (candidates.length === 0) throw new Error('no candidates')
    }
    for (const rel of ['dns-prefetch', 'preconnect', 'prefetch', 'preload', 'modulepreload']) {
      const link = document.createElement('link')
      link.setAttribute('rel', rel)
      link.setAttribute('href', `http://${rel}.leak.example/`)
      document.head.append(link)
      const direct = document.createElement('link')
      direct.setAttribute('rel', rel)
      direct.setAttribute('href', `http://${host}/${rel}`)
      document.head.append(direct)
    }
    const styled = document.createElement('div')
    styled.style.backgroundImage = `url(http://${host}/css)`
    document.body.append(styled)
    // The result of a frame is not used: it fires `load` even when it was refused.
    void added('iframe', { src: `http://${host}/frame` })
    navigator.sendBeacon(`http://${host}/beacon`, 'x')
    const worked = await Promise.all(
      Object.entries(attempts).map(async ([name, attempt]) => {
        const patience = new Promise((_resolve, reject) =>
          setTimeout(() => reject(new Error('hangs')), 8_000),
        )
        try {
          await Promise.race([Promise.resolve().then(attempt), patience])
          return [name]
        } catch {
          return []
        }
      }),
    )
    return worked.flat()
  }, target)
}

describe.skipIf(unwatched !== undefined)(
  `the network traffic of shipping and tracking${unwatched ? ` (${unwatched})` : ''}`,
  () => {
    it('goes to the carrier service only, even when a script in the window tries every way to reach a network', async () => {
      const folder = await temporaryFolder()
      const simulator = await testSimulator()
      const watched = await watchedElectron(folder)
      const provision = await provisionSwitch(folder, stationProvisioning(simulator.baseUrl))
      const { page, close } = await launch(join(folder, 'data'), [provision], {}, watched.started)
      await fillShipment(page, { Reference: 'ORDER-1' })
      await page.keyboard.press('F9')
      const { barcode } = await outcome(page, 'created')
      await printed(page)
      await open(page, 'Track')
      await page.getByLabel('Tracking code', { exact: true }).fill(barcode)
      await page.getByRole('button', { name: 'Look up' }).click()
      await page.getByTestId('track-status').waitFor()

      const { port, received } = await listenOnBoth()
      expect(await tryNetworkAccess(page, `127.0.0.1:${port}`)).toEqual([])
      expect(await tryNetworkAccess(page, `leak.example:${port}`)).toEqual([])
      expect(received).toEqual([])
      await close()
      expect(await watched.reached()).toEqual([`TCP 127.0.0.1:${new URL(simulator.baseUrl).port}`])
    })
  },
)
