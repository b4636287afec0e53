import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { endWithTest } from './lifetime'
import { temporaryRoot } from './temporaryRoot'

/** A new folder that goes away when the test that asked for it ends, or those that share it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(temporaryRoot, 'packbench-test-'))
  endWithTest(() => rm(folder, { recursive: true, force: true }))
  return folder
}
