import { z } from 'zod'

const displaysSchema = z.array(
  z.object({ DISPLAY: z.string().optional(), XAUTHORITY: z.string().optional() }),
)

// Each worker drives its app on a display of its own.
const displays = displaysSchema.parse(JSON.parse(process.env.PACKBENCH_DISPLAYS ?? '[]'))
Object.assign(process.env, displays[(Number(process.env.VITEST_POOL_ID ?? 1) - 1) % displays.length])
