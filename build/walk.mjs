import { startVitest } from 'vitest/node'
import { walkPlugin } from './walkPlugin.mjs'

// Reports which files of `src/main` run while a shipment is created and printed, from a form and from an order file, and while a code is
// looked up: the figures of docs/decisions/0007-architecture.md.
const vitest = await startVitest(
  'test',
  [],
  { config: false, include: ['tests/walk/walk.ts'], watch: false, testTimeout: 60_000, reporters: ['dot'] },
  { plugins: [walkPlugin()] },
)
await vitest.close()
