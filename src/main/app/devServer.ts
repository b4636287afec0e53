import { protocol } from 'electron'

/**
 * Serves the renderer from Vite's server under the app's own origin, for `npm run dev` only: a built app does not contain
 * this file. The page may run Vite's inline scripts and reach its WebSocket on loopback, which the production CSP forbids.
 * @param server `http://localhost:PORT`
 * @param own the app's origin
 * @param listening fulfilled once main answers the page's calls
 */
export function serveFromDevServer(
  server: string,
  own: { scheme: string; host: string },
  listening: Promise<void>,
): void {
  protocol.handle(own.scheme, async (request) => {
    const url = new URL(request.url)
    if (request.method !== 'GET' || url.host !== own.host) return new Response(null, { status: 404 })
    await listening
    const answer = await fetch(new URL(url.pathname + url.search, server), {
      headers: { Accept: request.headers.get('Accept') ?? '*/*' },
    })
    const headers = new Headers({ 'Content-Type': answer.headers.get('Content-Type') ?? 'text/plain' })
    headers.set('Content-Security-Policy', policy)
    return new Response(answer.body, { status: answer.status, headers })
  })
}

const policy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  'connect-src ws://localhost:* ws://127.0.0.1:*',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')
