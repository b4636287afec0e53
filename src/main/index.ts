import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app, Menu, session } from 'electron'
import { serveRenderer } from './app/appProtocol'
import { lockDown } from './app/browser'
import { createMainWindow } from './app/mainWindow'
import { endInGoodOrder } from './app/process'
import { type AppStart, startUp, type TakeOver } from './app/startUp'
import type { Station } from './app/station'
import { openPlaceFile } from './app/windowPlace'

/** The built app's folder: main, preload and renderer lie in it. */
const outFolder = fileURLToPath(new URL('..', import.meta.url))

await startUp(process.argv.slice(1), startApp)

/** Makes the window, and reads the rest of the program while the window's process starts. */
async function startApp(start: AppStart): Promise<TakeOver> {
  const { dataFolder, hidden, home } = start
  let isEnding = false
  let station: Station | undefined
  const window = createMainWindow(
    outFolder,
    () => hidden && !isEnding,
    openPlaceFile(dataFolder),
    (reason) => station?.noteWindowCrash(reason),
  )
  // Before anything that takes time: an app that can't start its work has to be ended and shown all the same.
  const quit = endInGoodOrder(app, async () => {
    isEnding = true
    await window.keepPlace()
    await station?.stop()
    home.leave()
  })
  app.on('window-all-closed', () => {
    if (!hidden) quit()
  })
  Menu.setApplicationMenu(null)
  lockDown(app, session.defaultSession)
  let listen = (): void => undefined
  const listening = new Promise<void>((resolve) => {
    listen = resolve
  })
  await serveRenderer(join(outFolder, 'renderer'), listening)
  if (!hidden) window.prepare()
  const { createStation } = await import('./app/station')
  station = await createStation(start, window)
  listen()
  return station.open(quit)
}
