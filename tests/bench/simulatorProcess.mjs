// Runs the simulator in a process of its own, so that its work does not count as the app's. Tells its URL by a message.
import { join } from 'node:path'
import { runnerImport } from 'vite'

const repo = join(import.meta.dirname, '..', '..')
/** Milliseconds that every tracking answer waits, as a service across a network does; 0 for none. */
const answerMs = Number(process.argv[2] ?? 0)
/**
 * @typedef {{ operation: string, fault: { kind: 'slow', ms: number } }} Planned
 * @typedef {{ baseUrl: string, faults: { add: (planned: Planned) => void } }} Started
 * @type {{ module: { startSimulator: () => Promise<Started> } }}
 */
const { module } = await runnerImport(join(repo, 'src/simulator/simulator.ts'), { root: repo })
const { baseUrl, faults } = await module.startSimulator()
if (answerMs > 0) faults.add({ operation: 'trackMany', fault: { kind: 'slow', ms: answerMs } })
process.send?.({ baseUrl })
process.on('disconnect', () => process.exit(0))
