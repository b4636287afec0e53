import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App, Session, WebContents } from 'electron'
import { z } from 'zod'
import { languageSchema } from '../../shared/fields'
import { proxySettingsSchema } from '../../shared/network'
import { type Keyring, selectPasswordStore } from '../account/keyring'
import { findPacHosts } from '../network/pacHosts'
import { placesIn, prepareDataFolder } from '../storage/dataFolder'
import { appOrigin } from './appProtocol'

/** Where Chromium keeps what it needs itself, and the lock that makes a second start notice the first one. */
export interface BrowserHome {
  folder: string
  /** The data folder can't be used: this is a place for the window that says so, and gone afterwards. */
  isMakeshift: boolean
  leave(): void
}

/**
 * Makes the data folder, or finds that it can't be made or written. Chromium could not even show a window then.
 * @param dataFolder absolute path
 */
export function browserHome(dataFolder: string): BrowserHome {
  if (prepareDataFolder(placesIn(dataFolder)) === undefined) {
    return { folder: dataFolder, isMakeshift: false, leave: () => undefined }
  }
  const folder = mkdtempSync(join(tmpdir(), 'packbench-'))
  return {
    folder,
    isMakeshift: true,
    leave: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const locales = { en: 'en-GB', nl: 'nl' }

/**
 * Lets Chromium's own controls, such as those for dates, speak the station's language and not the system's. It can be
 * told only before the app is ready: another language of the settings holds for them from the next start.
 */
function speakLanguageOfStation(app: Pick<App, 'commandLine'>, dataFolder: string): void {
  const language = fromSettings(dataFolder, z.object({ language: languageSchema }))?.language
  if (language !== undefined) app.commandLine.appendSwitch('lang', locales[language])
}

/** What the settings say, before they are opened; undefined while there are none that can be read. */
function fromSettings<Schema extends z.ZodType>(dataFolder: string, schema: Schema) {
  try {
    const settings: unknown = JSON.parse(readFileSync(join(dataFolder, 'settings.json'), 'utf8'))
    return schema.safeParse(settings).data
  } catch {
    return undefined
  }
}

/** What the system says that decides about switches. */
interface FoundSwitches {
  /** The hosts that Chromium may reach. */
  proxyHosts: string[]
  /** Electron's name of the place for secrets; undefined where Electron chooses it. */
  passwordStore: string | undefined
}

/** Asks the system what `setSwitches` needs. Never rejects. */
export async function findSwitches(dataFolder: string, keyring: Keyring): Promise<FoundSwitches> {
  const [proxyHosts] = await Promise.all([findProxyHosts(dataFolder), keyring.ask()])
  const isLinux = process.platform === 'linux'
  return {
    proxyHosts,
    passwordStore: isLinux ? selectPasswordStore(keyring.state(), process.env) : undefined,
  }
}

/** Sets the switches that Chromium and Electron read when they become ready, and only then. */
export function setSwitches(
  app: Pick<App, 'commandLine'>,
  dataFolder: string,
  { proxyHosts, passwordStore }: FoundSwitches,
): void {
  if (passwordStore !== undefined && !app.commandLine.hasSwitch('password-store')) {
    app.commandLine.appendSwitch('password-store', passwordStore)
  }
  // Only `npm run dev` reaches something: Vite's server on loopback, for changes of the screen.
  if (!import.meta.env.DEV) keepBrowserOffline(app, proxyHosts)
  speakLanguageOfStation(app, dataFolder)
}

/** The hosts that Chromium has to reach for what the system says of proxies; none unless the settings follow the system. */
async function findProxyHosts(dataFolder: string): Promise<string[]> {
  const proxy = fromSettings(dataFolder, z.object({ proxy: proxySettingsSchema }))?.proxy
  return proxy === undefined || proxy.mode === 'system' ? findPacHosts(process.platform, process.env) : []
}

/**
 * SECURITY: keeps Chromium from every network. It resolves no name and no address, so that nothing which a page asks
 * for, looks up in advance or hands to WebRTC gets out, and nothing that Chromium does by itself, but for the file by which
 * the system's settings choose a proxy. To be called before
 * the app is ready. The app's own connections (docs/connections.md) are made by Node, which this does not concern.
 */
function keepBrowserOffline(app: Pick<App, 'commandLine'>, proxyHosts: readonly string[]): void {
  const rules = ['MAP * ~NOTFOUND', ...proxyHosts.map((host) => `EXCLUDE ${host}`)]
  app.commandLine.appendSwitch('host-resolver-rules', rules.join(', '))
  // Addresses in WebRTC would be hidden behind names that are announced to the whole local network. The database of shared storage,
  // which no page uses, would be written a minute after each start.
  app.commandLine.appendSwitch('disable-features', 'WebRtcHideLocalIpsWithMdns,SharedStorageAPI')
  // No file of the app goes through it and nothing comes from a network, yet its index would be written after each start.
  app.commandLine.appendSwitch('disable-http-cache')
}

/**
 * SECURITY: nothing that a page could ask for is granted (`admitScale` makes the one exception), no page but the app's own is ever shown, and nothing is
 * downloaded. docs/threat-model.md numbers the reasons.
 */
export function lockDown(app: App, session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, decide) => decide(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  // It would fetch its dictionaries from outside.
  session.setSpellCheckerEnabled(false)
  session.on('will-download', (event) => event.preventDefault())
  app.on('web-contents-created', (_event, contents) => confine(contents))
}

function confine(contents: WebContents): void {
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.on('will-navigate', (event) => {
    if (event.url !== `${appOrigin}/`) event.preventDefault()
  })
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame) event.preventDefault()
  })
  contents.on('will-redirect', (event) => event.preventDefault())
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}
