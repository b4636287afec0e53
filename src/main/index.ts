import { join } from 'node:path'
import { app } from 'electron'
import { createKeyring, type Keyring, passwordStore } from './account/keyring'
import { createApplication } from './app/application'
import { declareAppScheme } from './app/appProtocol'
import { browserHome } from './app/browserHome'
import { speakLanguageOfStation } from './app/browserLanguage'
import { keepBrowserOffline } from './app/browserOffline'
import { endWith } from './app/ending'
import { checkProvisioning } from './app/provisionAtStart'
import { claimInstance } from './app/singleInstance'
import { namedVariables, prepareStart, type RunStart, refusalOf } from './app/startUp'

// Reads top to bottom as the app's start: what was asked for, where the data lie, whose turn it is, and the app.
const start = prepareStart(process.argv.slice(1), process.cwd(), {
  version: app.getVersion(),
  usualFolder: join(app.getPath('appData'), 'Packbench'),
})

if (start.kind === 'print') endWith(0, process.stdout, [start.text])
else if (start.kind === 'refuse') endWith(start.exitCode, process.stderr, start.lines)
else await run(start)

async function run(wanted: RunStart): Promise<void> {
  // SECURITY: whatever is written from here on, by Chromium too, is for this user only.
  process.umask(0o077)
  const refusal = refusalOf(process.env)
  if (refusal !== undefined) {
    endWith(2, process.stderr, [refusal])
    return
  }
  app.setName('Packbench')
  const faults = await checkProvisioning(wanted, process.env)
  if (faults.length > 0) {
    endWith(2, process.stderr, faults)
    return
  }
  const home = browserHome(wanted.dataFolder)
  app.setPath('userData', home.folder)
  app.setPath('sessionData', join(home.folder, 'browser'))
  const environment = namedVariables(wanted.provision, process.env)
  // SECURITY: Electron hands the environment to the window's process, and programs that print inherit it.
  for (const name of Object.keys(environment)) delete process.env[name]
  const handover = { provision: wanted.provision ?? null, hidden: wanted.hidden, environment }
  const keyring = createKeyring(process.env, process.platform)
  const application = createApplication(wanted, home, environment, keyring)
  if (!claimInstance(app, handover, (later) => void application.takeOver(later))) {
    endWith(0, process.stdout, ['Packbench is running already; its window was brought to the front.'])
    return
  }
  declareAppScheme()
  await choosePasswordStore(keyring)
  // Only `npm run dev` reaches something: Vite's server on loopback, for changes of the screen.
  if (!import.meta.env.DEV) keepBrowserOffline(app)
  speakLanguageOfStation(app, wanted.dataFolder)
  app.whenReady().then(
    () => application.start(),
    (error: unknown) => endWith(1, process.stderr, [String(error)]),
  )
}

/** Electron reads the switch when it becomes ready, and only then. */
async function choosePasswordStore(keyring: Keyring): Promise<void> {
  await keyring.ask()
  if (process.platform !== 'linux' || app.commandLine.hasSwitch('password-store')) return
  const store = passwordStore(keyring.state(), process.env)
  if (store !== undefined) app.commandLine.appendSwitch('password-store', store)
}
