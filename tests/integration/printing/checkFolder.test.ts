import { existsSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { probePrinter } from '../../../src/main/printing/drivers/createDrivers'
import { temporaryFolder } from '../../support/temporaryFolder'

describe('the connection test of a folder printer', () => {
  it('reports a folder that can be created as ready, and does not create it', async () => {
    const data = await temporaryFolder()
    const check = await probePrinter({ driver: 'folder', id: 'file', path: 'a/b' }, data, 'linux')
    expect(check).toMatchObject({ code: 'folder-ready', details: { subject: join(data, 'a', 'b') } })
    expect(existsSync(join(data, 'a'))).toBe(false)
  })

  it('reports a file in the place of the folder as not writable', async () => {
    const data = await temporaryFolder()
    await writeFile(join(data, 'labels'), '')
    const check = await probePrinter({ driver: 'folder', id: 'file', path: 'labels' }, data, 'linux')
    expect(check).toMatchObject({ code: 'folder-not-writable', reachable: false })
  })

  it.skipIf(process.getuid?.() === 0)(
    'reports a folder without write permission as not writable',
    async () => {
      const data = await temporaryFolder()
      await mkdir(join(data, 'labels'))
      await chmod(join(data, 'labels'), 0o500)
      const check = await probePrinter({ driver: 'folder', id: 'file', path: 'labels' }, data, 'linux')
      expect(check).toMatchObject({ code: 'folder-not-writable', reachable: false })
    },
  )
})
