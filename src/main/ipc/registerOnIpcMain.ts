import { ipcMain } from 'electron'
import { isTrustedSender, type RegistrarDeps, registerMethods } from './registrar'

/**
 * Registers the methods of the contract on `ipcMain`, for calls of the app's own page only.
 * @param origin the page's origin, e.g. `app://packbench`
 * @returns the function that lets calls through; until then they wait
 */
export function registerOnIpcMain(
  origin: string,
  deps: Pick<
    RegistrarDeps<unknown>,
    'appHandlers' | 'services' | 'permitCall' | 'beforeAnswer' | 'redact' | 'log'
  >,
): () => void {
  let allowCalls = (): void => undefined
  const started = new Promise<void>((resolve) => {
    allowCalls = resolve
  })
  registerMethods({ ...deps, started, ipc: ipcMain, isTrusted: (event) => isTrustedSender(event, origin) })
  return allowCalls
}
