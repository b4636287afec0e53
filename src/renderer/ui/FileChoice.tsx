import { Button, type ButtonProps, FileButton } from '@mantine/core'
import { useRef } from 'react'
import { type AppError, appError } from '../../shared/errors'
import { type FileIssue, fileIssue, issueDetails, tooLarge } from '../../shared/inputIssues'
import { err, ok, type Result } from '../../shared/result'

interface FileChoiceProps extends Pick<ButtonProps, 'variant' | 'disabled' | 'leftSection'> {
  label: string
  /** File extensions or media types, separated by commas. */
  accept: string
  onFile: (file: File) => void
}

/** A button that opens a file dialog. The same file can be chosen again, since it may have been fixed meanwhile. */
export function FileChoice({ label, accept, onFile, ...look }: FileChoiceProps) {
  const reset = useRef<() => void>(null)
  return (
    <FileButton
      accept={accept}
      resetRef={reset}
      onChange={(file) => {
        if (file === null) return
        onFile(file)
        reset.current?.()
      }}
      inputProps={{ 'aria-label': label }}
    >
      {(props) => (
        <Button {...props} {...look}>
          {label}
        </Button>
      )}
    </FileButton>
  )
}

/**
 * Reads a file that a person chose. A file above the size limit is not read at all.
 * @param code error code of a failure
 */
export async function readChosen(
  file: File,
  maxMegabytes: number,
  code: 'table-unreadable' | 'pdf-unreadable',
): Promise<Result<ArrayBuffer, AppError>> {
  const unusable = (errorText: FileIssue) =>
    err(appError(code, { file: file.name, ...issueDetails(errorText) }))
  if (file.size > maxMegabytes * 1024 * 1024) return unusable(tooLarge(maxMegabytes))
  try {
    return ok(await file.arrayBuffer())
  } catch {
    // The file was removed, or this user may not read it.
    return unusable(fileIssue('not-opened'))
  }
}
