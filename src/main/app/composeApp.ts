import { session } from 'electron'
import { registerOnIpcMain } from '../ipc/registerOnIpcMain'
import { createEventBus } from '../lib/eventBus'
import { appOrigin } from './appProtocol'
import { rotateCrashDumps } from './crashes'
import { createDemoFile, permitCall, startDemo } from './demo'
import { createElectronAdapters } from './electronAdapters'
import { createAppHandlers } from './handlers'
import { createLifecycle } from './lifecycle'
import type { MainWindow } from './mainWindow'
import { describeRuntime, logUncaughtErrors, relaunchProvisioned, relaunchUnprovisioned } from './process'
import { createProvisioningQueue } from './provisioning'
import { allowScaleAccess, createScaleAccess } from './scaleAccess'
import { createShell } from './shell'
import type { AppStart, HandleStart } from './startUp'

/** A database migration that takes longer than this shows the window with its progress, in milliseconds. */
const maxQuietUpdateMs = 1000

/** The whole app in main: its services, and the handlers that answer the window. */
export type ComposedApp = Awaited<ReturnType<typeof composeApp>>

/** Constructs the app and registers its handlers. Starts no service. */
export async function composeApp(start: AppStart, window: MainWindow) {
  const { demo: isDemo, hidden, opensHidden, home, stationFile, databaseThread } = start
  const relaunch = () => relaunchProvisioned(stationFile.environment)
  const bus = createEventBus()
  const settings = () => lifecycle.settings()
  const adapters = createElectronAdapters({ ...start, window, bus, settings, relaunch })
  const { log, stationFileMark: mark } = adapters
  const runtime = describeRuntime()
  log.info('Packbench starts', { ...runtime, demo: isDemo, hidden })
  logUncaughtErrors(log)
  void rotateCrashDumps(adapters.places.crashes)
  const demo = isDemo ? await startDemo() : undefined
  let updating: NodeJS.Timeout | undefined
  const lifecycle = createLifecycle({
    ...adapters,
    ...(isDemo && {
      vaultFile: createDemoFile(adapters.vaultFile),
      fleetFile: createDemoFile(adapters.fleetFile),
    }),
    databaseThread,
    simulatorUrl: demo?.baseUrl ?? null,
    async onStarted(services) {
      await demo?.prepare(services)
      await provisioning.apply()
      // Not awaited: the window and the hot folder must not wait until a person types the keyring's password.
      // Asked only if a stored account waits: the dialog takes the keyboard, and with it the scans.
      if (services.session.status().state === 'locked') void services.session.unlock()
    },
    ...(home.isTemporary && { relaunch: () => relaunchUnprovisioned(start.secrets) }),
    onWorkStopped: () => window.show(),
    onUpdating() {
      updating ??= setTimeout(() => {
        if (!opensHidden) window.show()
        allowCalls()
      }, maxQuietUpdateMs)
    },
  })
  allowScaleAccess(session.defaultSession, appOrigin, createScaleAccess(lifecycle, adapters.desktop))
  const shell = createShell({ ...adapters, isDemo, window, lifecycle })
  const provisioning = createProvisioningQueue(lifecycle, { ...stationFile, mark }, bus)
  const allowCalls = registerOnIpcMain(appOrigin, {
    appHandlers: createAppHandlers({ ...adapters, lifecycle, relaunch, runtime }),
    services: lifecycle.services,
    permitCall: (method, input) => permitCall(method, input, demo?.baseUrl ?? null),
    beforeAnswer: shell.flushEvents,
    redact: adapters.redactor.redact,
    log,
  })
  return {
    bus,
    lifecycle,
    confirmQuit: shell.confirmQuit,
    /** Starts the services. */
    async open(quit: () => void): Promise<HandleStart> {
      const opened = await lifecycle.start()
      if (!opened.ok) process.stderr.write(`${opened.error.message}\n`)
      clearTimeout(updating)
      shell.showTray({ open: () => window.show(), quit })
      return async (asked) => {
        try {
          await provisioning.enqueue(asked)
        } finally {
          if (!asked.hidden || !lifecycle.services().ok) window.show()
          allowCalls()
        }
        adapters.warmUpSoon(lifecycle.services)
      }
    },
    /** Stops the services; may be called while `open` runs. */
    async stop(): Promise<void> {
      await lifecycle.stop()
      await adapters.closeWorkers()
      await demo?.close()
      log.info('Packbench ends')
      await log.close()
    },
  }
}
