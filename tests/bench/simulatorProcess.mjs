// Runs the simulator in a separate process, so that its work does not count as the app's. Sends its URL as a message.
import { join } from 'node:path'
import { runnerImport } from 'vite'

const repo = join(import.meta.dirname, '..', '..')
/** @type {Record<string, object>} faults by operation, such as delayed answers, as of a service across a network */
const planned = JSON.parse(process.argv[2] ?? '{}')
/**
 * @typedef {{ operation: string, fault: object }} Planned
 * @typedef {{ baseUrl: string, faults: { add: (planned: Planned) => void } }} Started
 * @type {{ module: { startSimulator: () => Promise<Started> } }}
 */
const { module } = await runnerImport(join(repo, 'src/simulator/simulator.ts'), { root: repo })
const { baseUrl, faults } = await module.startSimulator()
for (const [operation, fault] of Object.entries(planned)) faults.add({ operation, fault })
process.send?.({ baseUrl })
process.on('disconnect', () => process.exit(0))
