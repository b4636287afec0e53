import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { endWithTest } from './lifetime'
import { temporaryRoot } from './temporaryRoot'

/** A new folder that is deleted when its test ends, or the tests that share it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(temporaryRoot, 'packbench-test-'))
  // A station that was started before the folder was made ends after it, and may still write there.
  endWithTest(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}
