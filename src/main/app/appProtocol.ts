import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname, join, normalize, sep } from 'node:path'
import { protocol } from 'electron'
import { deferred } from '../lib/async'

const appScheme = 'app'
const appHost = 'packbench'

/** The app's own origin, which serves every page and file of the renderer. */
export const appOrigin = `${appScheme}://${appHost}`

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/** Declares the scheme. Must be called before Electron is ready. */
export function declareAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    // SECURITY: no code cache, because the user could write to its folder.
    { scheme: appScheme, privileges: { standard: true, secure: true, supportFetchAPI: false } },
  ])
}

/**
 * Serves the files of the built renderer's folder only; under `npm run dev` the files of Vite's server, whose code is not
 * part of any build.
 * @param folder absolute path of the built renderer
 * @returns the function to be called once main answers the page's calls; scripts are served only after that
 */
export async function serveRenderer(folder: string): Promise<() => void> {
  const { promise: listening, resolve: listen } = deferred()
  const devServer = import.meta.env.DEV ? process.env.ELECTRON_RENDERER_URL : undefined
  if (devServer === undefined) serveBuilt(folder, listening)
  else {
    const { serveFromDevServer } = await import('./devServer')
    serveFromDevServer(devServer, { scheme: appScheme, host: appHost }, listening)
  }
  return listen
}

function serveBuilt(folder: string, listening: Promise<void>): void {
  protocol.handle(appScheme, async (request) => {
    const url = new URL(request.url)
    if (request.method !== 'GET' || url.host !== appHost) return notFound()
    const wanted = url.pathname === '/' ? '/index.html' : decodeURIComponent(url.pathname)
    const path = normalize(join(folder, wanted))
    const type = contentTypes[extname(path)]
    if (!path.startsWith(folder + sep) || type === undefined) return notFound()
    if (type === contentTypes['.js']) await listening
    try {
      return respond(path, type)
    } catch {
      return notFound()
    }
  })
}

/** Reads at once: a file of the page is one of a few, and asynchronous reads queue behind the loading of main's own code at a start. */
function respond(path: string, type: string): Response {
  const content = readFileSync(path)
  if (!path.endsWith('.html')) {
    return new Response(new Uint8Array(content), { headers: baseHeaders(type) })
  }
  // SECURITY: styles that the component library adds at run time carry a nonce that changes with each page load.
  const nonce = randomBytes(16).toString('base64')
  const page = content.toString('utf8').replaceAll('__CSP_NONCE__', nonce)
  return new Response(page, {
    headers: { ...baseHeaders(type), 'Content-Security-Policy': contentSecurityPolicy(nonce) },
  })
}

function notFound(): Response {
  return new Response(null, { status: 404, headers: baseHeaders('text/plain') })
}

function baseHeaders(type: string): Record<string, string> {
  return {
    'Content-Type': type,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    // The page overrides this with its own policy; all other responses may load nothing.
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  }
}

/** SECURITY: the page can load its own files and draw; it can reach no network at all. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
