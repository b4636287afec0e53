import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app, Menu, session } from 'electron'
import { serveRenderer } from './app/appProtocol'
import { lockDown } from './app/browser'
import type { ComposedApp } from './app/composeApp'
import { createMainWindow } from './app/mainWindow'
import { askBeforeQuit, exitCleanly, onSystemEnd, relaunchForLaterStart } from './app/process'
import { type AppStart, type HandleStart, startUp } from './app/startUp'
import { openPlaceFile } from './app/windowPlace'

/** The folder of the built app, which holds main, preload and renderer. */
const outFolder = fileURLToPath(new URL('..', import.meta.url))

await startUp(process.argv.slice(1), startApp)

/** Creates the window, and loads the rest of the program while the window's process starts. */
async function startApp(start: AppStart): Promise<HandleStart> {
  const { dataFolder, hidden, opensHidden, home, stationFile } = start
  let isEnding = false
  let composed: ComposedApp | undefined
  const window = createMainWindow(
    outFolder,
    () => {
      if (isEnding) return 'close'
      if (hidden) return 'hide'
      if (composed?.lifecycle.holdsLabels() !== true) return 'close'
      quitIfAgreed()
      return 'stay'
    },
    openPlaceFile(dataFolder),
    (reason) => composed?.bus.emit('windowCrashed', { reason }),
  )
  // Before anything that takes time: a person must be able to quit an app that fails to start.
  const quit = exitCleanly(
    app,
    async () => {
      isEnding = true
      await window.savePlace()
      await composed?.stop()
      home.leave()
    },
    (later) => relaunchForLaterStart(later, stationFile.environment),
  )
  // For a person: SIGTERM and the end of the session ask nothing.
  const quitIfAgreed = askBeforeQuit(async () => (await composed?.confirmQuit()) ?? true, quit)
  onSystemEnd(() => {
    composed?.lifecycle.noteSystemEnd()
    quit()
  }, opensHidden)
  app.on('window-all-closed', () => {
    if (!hidden) quit()
  })
  Menu.setApplicationMenu(null)
  lockDown(app, session.defaultSession)
  const listen = await serveRenderer(join(outFolder, 'renderer'))
  if (!opensHidden) window.prepare()
  const { composeApp } = await import('./app/composeApp')
  composed = await composeApp(start, window)
  listen()
  return composed.open(quitIfAgreed)
}
