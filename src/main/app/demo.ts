import type { Services } from './compose'

/** Starts the simulator for `--demo`. It is a separate bundle that a real station never loads. */
export async function startDemo() {
  const { account, settings: change, ...simulator } = await (await import('../../simulator/demo')).startDemo()
  return {
    ...simulator,
    /** Connects the station to the simulator, and sets up the demo's printers if there are none. */
    async prepare({ settings, session, health }: Services): Promise<void> {
      if (settings.current().printers.length === 0) settings.change(change)
      health.noting(await session.connect(account))
    },
  }
}
