import type { HandlersOf } from '../../shared/bridge'
import type { hotFolderMethods } from '../../shared/hotFolder'
import { ok, type Result } from '../../shared/result'
import type { HotFolderService } from './hotFolderService'

export interface HotFolderHandlerDeps {
  hotFolder: HotFolderService
  openFolder(path: string): Promise<Result<undefined>>
}

/** The handlers for what a person has to see to in the hot folder. */
export function createHotFolderHandlers({
  hotFolder,
  openFolder,
}: HotFolderHandlerDeps): HandlersOf<typeof hotFolderMethods> {
  return {
    listOrderFileIssues: async ({ closed }) => ok(await hotFolder.issues.list(closed)),
    closeOrderFileIssue: ({ issueId, note }) => hotFolder.issues.close(issueId, note),
    sendOrderAgain: ({ issueId, values }) => hotFolder.sendAgain(issueId, values),
    openOrderFolder: async ({ issueId }) => {
      const folder = await hotFolder.findFolder(issueId)
      return folder.ok ? openFolder(folder.value) : folder
    },
  }
}
