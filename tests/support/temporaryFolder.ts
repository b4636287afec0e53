import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryRoot } from './temporaryRoot'

/** A new folder that goes away when the test that asked for it ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(temporaryRoot, 'packbench-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
