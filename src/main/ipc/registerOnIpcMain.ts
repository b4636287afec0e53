import { ipcMain } from 'electron'
import { isTrustedSender, type RegistrarDeps, registerMethods } from './registrar'

/**
 * Lets the app's own page, and nothing else, call the methods of the contract.
 * @param origin the page's, e.g. `app://packbench`
 */
export function registerOnIpcMain(
  origin: string,
  deps: Pick<
    RegistrarDeps<unknown>,
    'appHandlers' | 'services' | 'started' | 'beforeAnswer' | 'redact' | 'log'
  >,
): void {
  registerMethods({ ...deps, ipc: ipcMain, isTrusted: (event) => isTrustedSender(event, origin) })
}
