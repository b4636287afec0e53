import { readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'

const displaysSchema = z.array(
  z.object({ DISPLAY: z.string().optional(), XAUTHORITY: z.string().optional() }),
)
type Display = z.infer<typeof displaysSchema>[number]

// Each worker drives its app on a display of its own. Vitest's numbers of workers can't be gone by: in a run of several
// projects two at work may have the same one (4.1, when the first test of a project begins before the one before has ended).
const displays = displaysSchema.parse(JSON.parse(process.env.PACKBENCH_DISPLAYS ?? '[]'))
const own = displays.length < 2 ? displays[0] : displays.find(takeForThisWorker)
if (own === undefined && displays.length > 0) throw new Error('Each display is another worker’s.')
Object.assign(process.env, own)

/** Notes beside a display's cookie which process drives apps on it; false when one that lives does. */
function takeForThisWorker({ XAUTHORITY }: Display): boolean {
  const note = `${XAUTHORITY}.worker`
  try {
    writeFileSync(note, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    const holder = Number(readFileSync(note, 'utf8'))
    if (holder === process.pid) return true
    if (isAlive(holder)) return false
    writeFileSync(note, String(process.pid))
    return true
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
