import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readWindowsStatus } from '../../../src/main/printing/drivers/windowsQueues'
import { temporaryFolder } from '../../support/temporaryFolder'

const callSchema = z.object({ args: z.array(z.string()), printer: z.string().optional() })

/** A program that replaces PowerShell: it records how it was called and writes the numbers of the characters of `answer`. */
async function fakePowershell(answer: string, exitCode = 0) {
  const folder = await temporaryFolder()
  const program = join(folder, 'powershell.exe')
  const record = join(folder, 'called.json')
  const script = [
    `#!${process.execPath}`,
    `require('node:fs').writeFileSync(${JSON.stringify(record)}, JSON.stringify({ args: process.argv.slice(2), printer: process.env.PACKBENCH_PRINTER }))`,
    `process.stdout.write(${JSON.stringify([...answer].map((sign) => sign.charCodeAt(0)).join(' '))} + '\\r\\n')`,
    `process.exitCode = ${exitCode}`,
  ]
  await writeFile(program, script.join('\n'), { mode: 0o700 })
  return { program, called: async () => callSchema.parse(JSON.parse(await readFile(record, 'utf8'))) }
}

// PowerShell runs on Windows only. These tests check how the app calls a replacement and reads its output.
describe.runIf(process.platform !== 'win32')('the status query to PowerShell', () => {
  it('passes the printer’s name in the environment, not as an argument', async () => {
    const powershell = await fakePowershell('{"Name":"x","Status":0,"JobCount":0}')
    const name = 'Zebra "door"; Remove-Item C:\\ $(evil) `é'
    await readWindowsStatus(name, powershell.program)
    const { args, printer } = await powershell.called()
    expect(printer).toBe(name)
    expect(args).toEqual([
      ...['-NoProfile', '-NonInteractive', '-Command'],
      expect.stringContaining('$env:PACKBENCH_PRINTER'),
    ])
    for (const part of name.split(/\s+/)) expect(args.at(-1)).not.toContain(part)
  })

  it.each([
    ['{"Name":"x","Status":0,"JobCount":3}', []],
    ['{"Name":"x","Status":1,"JobCount":null}', [{ code: 'paused' }]],
    ['{"Name":"x","Status":4194320}', [{ code: 'out-of-labels' }, { code: 'door-open' }]],
  ])('reads the status from %s', async (answer, status) => {
    const powershell = await fakePowershell(answer)
    expect(await readWindowsStatus('x', powershell.program)).toEqual({ ok: true, value: status })
  })

  it.each([
    ['an unknown printer', '', 1, 'not-known-to-windows'],
    ['an empty answer', '', 0, 'answer-not-understood'],
    ['something else', '<html>', 0, 'answer-not-understood'],
    ['another shape', '{"Status":"Normal"}', 0, 'answer-not-understood'],
  ])('reports an error after %s', async (_what, answer, exitCode, error) => {
    const powershell = await fakePowershell(answer, exitCode)
    expect(await readWindowsStatus('Zebra', powershell.program)).toEqual({
      ok: false,
      error,
    })
  })

  it('reports that PowerShell is missing', async () => {
    const status = await readWindowsStatus('Zebra', join(await temporaryFolder(), 'none.exe'))
    expect(status).toEqual({ ok: false, error: 'no-powershell' })
  })
})
