import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listSystemQueues } from '../../../src/main/printing/drivers/createDrivers'
import {
  choosePaper,
  readWindowsQueues,
  readWindowsStatus,
} from '../../../src/main/printing/drivers/windowsQueues'
import { temporaryFolder } from '../../support/temporaryFolder'

/** A program that replaces PowerShell, writes the numbers of the characters of `answer`, and notes its script. */
async function powershellWith(answer: string, exitCode = 0): Promise<string> {
  const program = join(await temporaryFolder(), 'powershell.exe')
  const script = [
    `#!${process.execPath}`,
    `require('node:fs').writeFileSync(${JSON.stringify(`${program}.script`)}, process.argv.at(-1))`,
    `process.stdout.write(${JSON.stringify([...answer].map((sign) => sign.charCodeAt(0)).join(' '))} + '\\r\\n')`,
    `process.exitCode = ${exitCode}`,
  ]
  await writeFile(program, script.join('\n'), { mode: 0o700 })
  return program
}

/** The output of ConvertTo-Json for a label printer with paper sizes and for a PDF printer with paper names only. */
const twoQueues = JSON.stringify([
  {
    Name: 'ZDesigner GK420d (Halle 2, «Tor»)',
    Default: true,
    Papers: [
      { Name: 'A4', Width: 827, Height: 1169, Kind: 9 },
      { Name: 'User defined', Width: 400, Height: 300, Kind: 256 },
      { Name: '1.25" x 0.25"', Width: 125, Height: 25, Kind: 257 },
      { Name: '2,00 x 1,00 in', Width: 200, Height: 100, Kind: 258 },
      { Name: '3.00" x 1.00"', Width: 300, Height: 100, Kind: 259 },
      { Name: 'Versandlabel DHL', Width: 394, Height: 591, Kind: 260 },
    ],
  },
  {
    Name: 'Microsoft Print to PDF',
    Default: false,
    Papers: { value: [{ Name: 'Letter' }, { Name: '62mm' }, { Name: '4 x 6' }], Count: 3 },
  },
])

// PowerShell runs on Windows only. These tests check how the app calls a replacement and reads its output.
describe.runIf(process.platform !== 'win32')('the printers that Windows lists', () => {
  it('are read with all their papers and paper sizes', async () => {
    const queues = await readWindowsQueues(await powershellWith(twoQueues))
    if (!queues.ok) throw new Error(queues.error)
    expect(queues.value.map(({ name, isDefault, papers }) => [name, isDefault, papers.length])).toEqual([
      ['ZDesigner GK420d (Halle 2, «Tor»)', true, 6],
      ['Microsoft Print to PDF', false, 3],
    ])
    const papers = queues.value[0]?.papers ?? []
    expect(choosePaper(papers, { widthMm: 100, heightMm: 150 })).toEqual({
      paper: 'Versandlabel DHL',
      orientation: 'portrait',
    })
    expect(choosePaper(papers, { widthMm: 25.4, heightMm: 50.8 })).toEqual({
      paper: '258',
      orientation: 'landscape',
    })
    expect(choosePaper(papers, { widthMm: 59, heightMm: 191 })).toBeUndefined()
  })

  it('are asked for without methods that a policy forbids, and so is the status of a printer', async () => {
    const queues = await powershellWith(twoQueues)
    const status = await powershellWith('{"Status":128}')
    expect(await readWindowsQueues(queues)).toMatchObject({ ok: true })
    expect(await readWindowsStatus('Zebra', status)).toMatchObject({ ok: true })
    for (const program of [queues, status]) {
      expect(await readFile(`${program}.script`, 'utf8')).not.toMatch(/\[(Convert|Console|Text\.)/)
    }
  })

  it.each([
    ['Letter', { widthMm: 215.9, heightMm: 279.4 }, 'portrait'],
    // The name of a roll does not state the length of its labels.
    ['62mm', { widthMm: 62, heightMm: 100 }, undefined],
    ['62mm', { widthMm: 62, heightMm: 29 }, undefined],
    ['4 x 6', { widthMm: 152.4, heightMm: 101.6 }, 'portrait'],
    ['4 x 6', { widthMm: 101.6, heightMm: 152.4 }, 'portrait'],
  ])(
    'offer the paper %s by its name for stock of %j when the driver states no sizes',
    async (paper, stock, orientation) => {
      const queues = await readWindowsQueues(await powershellWith(twoQueues))
      if (!queues.ok) throw new Error(queues.error)
      expect(choosePaper(queues.value[1]?.papers ?? [], stock)).toEqual({ paper, orientation })
    },
  )

  it('are unknown when PowerShell is missing, fails or writes other text', async () => {
    expect(await readWindowsQueues(join(await temporaryFolder(), 'none.exe'))).toEqual({
      ok: false,
      error: 'missing',
    })
    expect(await readWindowsQueues(await powershellWith('', 1))).toEqual({ ok: false, error: 'failed' })
    expect(await readWindowsQueues(await powershellWith('Name : x'))).toEqual({
      ok: false,
      error: 'not-understood',
    })
    const program = await powershellWith('Name : x')
    expect(await listSystemQueues('win32', () => readWindowsQueues(program))).toEqual([])
  })

  it('are listed for the settings with their papers and the default', async () => {
    const program = await powershellWith('[{"Name":"Zebra","Default":true,"Papers":[{"Name":"4 x 6"}]}]')
    expect(await listSystemQueues('win32', () => readWindowsQueues(program))).toEqual([
      { queue: 'Zebra', description: 'Zebra', isDefault: true, media: ['4 x 6'] },
    ])
  })
})
