import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App, Session, WebContents } from 'electron'
import { z } from 'zod'
import { languages } from '../../locales/languages'
import { languageSchema } from '../../shared/fields'
import { type Keyring, selectPasswordStore } from '../account/keyring'
import { readValid } from '../lib/readValid'
import { findPacHosts } from '../network/pacHosts'
import { placesIn, prepareDataFolder } from '../storage/dataFolder'
import { appOrigin } from './appProtocol'

/** The folder of Chromium's own files and of the single-instance lock. */
export interface BrowserFolder {
  folder: string
  /** Whether it is a temporary folder, used to show the error when the data folder can't be used. */
  isTemporary: boolean
  leave(): void
}

/**
 * Creates the data folder. If it can't be created or written, returns a temporary folder: Chromium needs one to show a window.
 * @param dataFolder absolute path
 */
export function prepareBrowserFolder(dataFolder: string): BrowserFolder {
  if (prepareDataFolder(placesIn(dataFolder)) === undefined) {
    return { folder: dataFolder, isTemporary: false, leave: () => undefined }
  }
  const folder = mkdtempSync(join(tmpdir(), 'packbench-'))
  return {
    folder,
    isTemporary: true,
    leave: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/**
 * Sets the language of Chromium's own controls, such as date pickers, to the station's. This works only before the app is
 * ready, so a changed language applies to them from the next start.
 */
function setBrowserLanguage(app: Pick<App, 'commandLine'>, dataFolder: string): void {
  const language = readSettingsPart(dataFolder, z.object({ language: languageSchema }))?.language
  if (language !== undefined) app.commandLine.appendSwitch('lang', languages[language].chromiumLocale)
}

/** Reads part of the settings file before the settings are opened; undefined when it can't be read. */
function readSettingsPart<Part>(dataFolder: string, schema: z.ZodType<Part>): Part | undefined {
  return readValid(schema, () => JSON.parse(readFileSync(join(dataFolder, 'settings.json'), 'utf8')))
}

/** What the system answers about switches. */
interface SystemSwitches {
  /** The hosts of the system's proxy configuration (PAC), which Chromium may reach. */
  proxyHosts: string[]
  /** The keyring that Electron is told to use for secrets; undefined where Electron chooses it. */
  passwordStore: string | undefined
}

/** Asks the system for what `setSwitches` needs. Never rejects. */
export async function findSystemSwitches(keyring: Keyring): Promise<SystemSwitches> {
  // Also with other settings than the system's proxy, to which the settings of the running app may change.
  const [proxyHosts] = await Promise.all([findPacHosts(process.platform, process.env), keyring.ask()])
  const isLinux = process.platform === 'linux'
  return {
    proxyHosts,
    passwordStore: isLinux ? selectPasswordStore(keyring.state(), process.env) : undefined,
  }
}

/** Sets the switches that Chromium and Electron read only once, when they become ready. */
export function setSwitches(
  app: Pick<App, 'commandLine'>,
  dataFolder: string,
  { proxyHosts, passwordStore }: SystemSwitches,
): void {
  if (passwordStore !== undefined && !app.commandLine.hasSwitch('password-store')) {
    app.commandLine.appendSwitch('password-store', passwordStore)
  }
  // Under `npm run dev` the page loads from Vite's server on loopback.
  if (!import.meta.env.DEV) keepBrowserOffline(app, proxyHosts)
  setBrowserLanguage(app, dataFolder)
}

/**
 * SECURITY: keeps Chromium off every network. It resolves no name and no address, so that no request, prefetch or WebRTC
 * connection of a page gets out, and no traffic of Chromium itself, except for the PAC file of the system's proxy settings.
 * Must be called before the app is ready. The app's own connections (docs/connections.md) are made by Node and not affected.
 */
function keepBrowserOffline(app: Pick<App, 'commandLine'>, proxyHosts: readonly string[]): void {
  const rules = ['MAP * ~NOTFOUND', ...proxyHosts.map((host) => `EXCLUDE ${host}`)]
  app.commandLine.appendSwitch('host-resolver-rules', rules.join(', '))
  // WebRTC would announce mDNS names to the whole local network. The shared storage database, which no page uses, would be
  // written a minute after each start.
  app.commandLine.appendSwitch('disable-features', 'WebRtcHideLocalIpsWithMdns,SharedStorageAPI')
  // The app never uses the HTTP cache, yet Chromium would write its index after each start.
  app.commandLine.appendSwitch('disable-http-cache')
}

/**
 * SECURITY: denies every permission (the only exception is in `allowScaleAccess`), every page but the app's own, and every download.
 * docs/threat-model.md lists the reasons.
 */
export function lockDown(app: App, session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, decide) => decide(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  // The spell checker would download dictionaries.
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
