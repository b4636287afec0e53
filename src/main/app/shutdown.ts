import type { App } from 'electron'

/** A stop that takes longer than this is cut short: the journal makes up for it at the next start. */
const maxStopMs = 2500

/**
 * Lets the app end in good order however it is asked to: commits finish, the database closes, exit code 0.
 * @param stop what has to happen before the end
 * @returns ends the app
 */
export function endInGoodOrder(app: App, stop: () => Promise<void>): () => void {
  let ending = false

  function end(): void {
    if (ending) return
    ending = true
    const hurry = setTimeout(() => app.exit(0), maxStopMs)
    void stop().finally(() => {
      clearTimeout(hurry)
      app.exit(0)
    })
  }

  app.on('before-quit', (event) => {
    event.preventDefault()
    end()
  })
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  return end
}
