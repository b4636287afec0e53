import type { App, Session, WebContents } from 'electron'
import { appOrigin } from './appProtocol'

/**
 * SECURITY: nothing that a page could ask for is granted, no page but the app's own is ever shown, and nothing is
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
