// The closed-network runtime lacks Electron's default_app, which opens the folder named on the command line. This file
// replaces it. It must be an ES module: Electron waits for an ES module before it emits `ready`, so that the app's main
// script runs in time; an import from a CommonJS file would run too late.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { app } from 'electron'

const named = process.argv.slice(1).find((argument) => !argument.startsWith('-'))
if (named === undefined) {
  process.stderr.write('Name the folder of the app to run.\n')
  process.exit(1)
}

const folder = resolve(named)
const description = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
Object.defineProperty(process, 'defaultApp', { value: true, enumerable: true })
if (!isOpenable(app)) throw new Error('This Electron cannot be told which app it runs.')
app.setAppPath(folder)
app.setName(description.productName ?? description.name)
app.setVersion(description.version)
try {
  await import(pathToFileURL(join(folder, description.main)).href)
} catch (error) {
  // Electron would show a dialog, which nobody can close on a virtual display.
  process.stderr.write(`The app could not be loaded: ${error instanceof Error ? error.stack : error}\n`)
  process.exit(1)
}

/**
 * Electron keeps these two for its own default_app and does not publish their types.
 * @param {object} candidate
 * @returns {candidate is { setAppPath: (path: string) => void, setVersion: (version: string) => void }}
 */
function isOpenable(candidate) {
  return 'setAppPath' in candidate && 'setVersion' in candidate
}
