import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Writes a stand-in for an unpacked Windows app, with file names that are difficult for installers.
 * @param version makes its files differ from those of other versions; each has a file that no other version has
 * @returns the content of each file by its path in the folder
 */
export async function writeStandInApp(folder: string, version: string): Promise<Map<string, string>> {
  const files = new Map(
    [
      'Packbench.exe',
      'vcruntime140.dll',
      'locales/nl.pak',
      'resources/app.asar',
      'resources/app.asar.unpacked/node_modules/@libsql/win32-x64-msvc/index.node',
      'resources/a name with blanks/$x $INSTDIR.txt',
      `resources/only in ${version}.txt`,
    ].map((name) => [name, `${name} of ${version}`]),
  )
  for (const [name, content] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return files
}
