// Runs the simulator in a process of its own, so that its work does not count as the app's. Tells its URL by a message.
import { join } from 'node:path'
import { runnerImport } from 'vite'

const repo = join(import.meta.dirname, '..', '..')
/** @type {{ module: { startSimulator: () => Promise<{ baseUrl: string }> } }} */
const { module } = await runnerImport(join(repo, 'src/main/demo/simulator.ts'), { root: repo })
const { baseUrl } = await module.startSimulator()
process.send?.({ baseUrl })
process.on('disconnect', () => process.exit(0))
