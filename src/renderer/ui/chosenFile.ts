import { type AppError, appError } from '../../shared/errors'
import { type FileFault, faultDetails, fileFault, tooLarge } from '../../shared/fileFaults'
import { err, ok, type Result } from '../../shared/result'

/**
 * Reads a file that a person chose. One that is larger than may be used is not read at all.
 * @param code what the failure is called
 */
export async function readChosen(
  file: File,
  maxMegabytes: number,
  code: 'table-unreadable' | 'pdf-unreadable',
): Promise<Result<ArrayBuffer, AppError>> {
  const unusable = (fault: FileFault) => err(appError(code, { file: file.name, ...faultDetails(fault) }))
  if (file.size > maxMegabytes * 1024 * 1024) return unusable(tooLarge(maxMegabytes))
  try {
    return ok(await file.arrayBuffer())
  } catch {
    // Taken away, or not for this user, since it was chosen.
    return unusable(fileFault('not-opened'))
  }
}
