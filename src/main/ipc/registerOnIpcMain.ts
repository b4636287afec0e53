import { ipcMain } from 'electron'
import { isTrustedSender, type RegistrarDeps, registerMethods } from './registrar'

/**
 * Registers the methods of the contract on `ipcMain`, for calls of the app's own page only.
 * @param origin the page's origin, e.g. `app://packbench`
 */
export function registerOnIpcMain(
  origin: string,
  deps: Pick<
    RegistrarDeps<unknown>,
    'appHandlers' | 'services' | 'permitCall' | 'started' | 'beforeAnswer' | 'redact' | 'log'
  >,
): void {
  registerMethods({ ...deps, ipc: ipcMain, isTrusted: (event) => isTrustedSender(event, origin) })
}
