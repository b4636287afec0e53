import type { Services } from './compose'

/** Starts the simulator of `--demo`. It is a bundle of its own, which a station at work never loads. */
export async function startDemo() {
  const { account, settings: change, ...simulator } = await (await import('../../simulator/demo')).startDemo()
  return {
    ...simulator,
    /** Connects the station to the simulator, and gives one without printers those of the demo. */
    async prepare({ settings, session, health }: Services): Promise<void> {
      if (settings.current().printers.length === 0) settings.change(change)
      health.noting(await session.connect(account))
    },
  }
}
