import { readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'

const displaysSchema = z.array(
  z.object({ DISPLAY: z.string().optional(), XAUTHORITY: z.string().optional() }),
)
type Display = z.infer<typeof displaysSchema>[number]

// Each worker uses a separate display. Vitest's worker ids can't be used to choose it: in a run of several projects two
// active workers may have the same id (4.1, when the first test of a project begins before the previous project has ended).
const displays = displaysSchema.parse(JSON.parse(process.env.PACKBENCH_DISPLAYS ?? '[]'))
const own = displays.length < 2 ? displays[0] : displays.find(takeForThisWorker)
if (own === undefined && displays.length > 0) throw new Error('Other workers use all displays.')
Object.assign(process.env, own)

/** Claims a display by a file beside its cookie; false when another running process has claimed it. */
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
