import { hash } from 'node:crypto'
import { access, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createLinesFile } from '../../../src/main/consignments/lines/openSheets'
import { createShipmentFiles } from '../../../src/main/shipments/shipmentFiles'
import { temporaryFolder } from '../../support/temporaryFolder'

/** The files of shipments in a folder that has another file beside it. */
async function filesBesideOthers() {
  const root = await temporaryFolder()
  await writeFile(join(root, 'other.json'), '[]')
  return { root, files: createShipmentFiles(join(root, 'labels')) }
}

it.each(['..', '.', '', '../other.json', 'A/../../other.json', '/tmp/packbench-other'])(
  'the files of a shipment with the id «%s» are neither written nor removed',
  async (id) => {
    const { root, files } = await filesBesideOthers()
    await expect(files.remove(id)).rejects.toThrow('is not the name of a file')
    await expect(files.replaceAnswer(id, anAnswer)).rejects.toThrow('is not the name of a file')
    await expect(files.readAnswer(id)).rejects.toThrow('is not the name of a file')
    expect(await readdir(root)).toEqual(['other.json'])
  },
)

it('a label whose file is outside of the labels folder is neither read nor written', async () => {
  const { root, files } = await filesBesideOthers()
  const bytes = Buffer.from('[]')
  expect(await files.read('../other.json', hash('sha256', bytes))).toMatchObject({
    ok: false,
    error: { code: 'label-unreadable' },
  })
  await expect(files.write('A/../../../written', bytes, true)).rejects.toThrow('is not the name of a file')
  await expect(access(join(root, '..', 'written'))).rejects.toThrow('ENOENT')
  await files.write('A/1.pdf', bytes, true)
  expect(await files.read('A/1.pdf', hash('sha256', bytes))).toEqual({ ok: true, value: bytes })
})

it('the lines of an air waybill whose id is a path are neither read, written nor removed', async () => {
  const { root } = await filesBesideOthers()
  const lines = createLinesFile(join(root, 'manifests'))
  for (const call of [
    () => lines.read('../other'),
    () => lines.write('../other', [['x']]),
    () => lines.remove('../other'),
  ]) {
    await expect(call()).rejects.toThrow('is not the name of a file')
  }
  expect(await readFile(join(root, 'other.json'), 'utf8')).toBe('[]')
})

it('the lines of an air waybill are removed with those that a crash left half written', async () => {
  const { root } = await filesBesideOthers()
  const lines = createLinesFile(root)
  await lines.write('A', [['x']])
  await writeFile(join(root, 'A.json.tmp'), '[[')
  await lines.remove('A')
  expect(await readdir(root)).toEqual(['other.json'])
})

const anAnswer = {
  version: 1,
  host: 'api.example.com',
  delivery: 'in-answer',
  status: 200,
  receivedAt: '2026-12-24T08:00:00.000Z',
  sealedLabelUrl: null,
  content: null,
  text: null,
  isCut: false,
} as const
