import type { App } from 'electron'

/**
 * SECURITY: keeps Chromium from every network. It resolves no name and no address, so that nothing which a page asks
 * for, looks up in advance or hands to WebRTC gets out, and nothing that Chromium does by itself. To be called before
 * the app is ready. The app's own connections (docs/connections.md) are made by Node, which this does not concern.
 */
export function keepBrowserOffline(app: Pick<App, 'commandLine'>): void {
  app.commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND')
  // Addresses in WebRTC would be hidden behind names that are announced to the whole local network.
  app.commandLine.appendSwitch('disable-features', 'WebRtcHideLocalIpsWithMdns')
}
