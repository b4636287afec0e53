import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { Cipher } from '../../../src/main/account/vault'

import type { Services } from '../../../src/main/app/compose'
import { aDraft } from '../../support/drafts'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, reversingCipher, stationOn, testSimulator } from '../../support/testStation'

async function shipped(features: Services, reference: string) {
  const created = await features.shipping.create({
    attemptId: randomUUID(),
    draft: aDraft({ reference }),
    origin: 'screen',
    print: true,
    takenAt: new Date(),
  })
  if (!created.ok) throw new Error(created.error.message)
  await features.printing.whenJobsEnded(created.value.id)
  return created.value
}

describe('a partial file that a crash left in the folder of a printer', () => {
  it('is removed at the next start, while files of other programs stay', async () => {
    const data = await temporaryFolder()
    const { station, features } = await connectedStation(data, await testSimulator())
    const { id } = await shipped(features, 'ORDER-1')
    const [job] = await features.jobs.listByShipment(id)
    await station.stop()
    const [label] = await readdir(join(data, 'out'))
    const strange = [`.${randomUUID()}.part`, 'notes.part', `.${job?.id}.part.bak`]
    for (const name of [`.${job?.id}.part`, ...strange]) await writeFile(join(data, 'out', name), 'half a la')

    const next = await stationOn(data)
    await next.start()
    await vi.waitFor(async () =>
      expect((await readdir(join(data, 'out'))).sort()).toEqual([label, ...strange].sort()),
    )
  })
})

describe('a label URL that came while the keyring was locked', () => {
  it('is encrypted on the disk once the keyring was unlocked elsewhere and the account is used', async () => {
    let kind: 'locked' | 'keyring' = 'locked'
    let isUnlocked = false
    const cipher: Cipher = {
      ...reversingCipher,
      available: () => kind,
      async checkUnlocked() {
        if (isUnlocked) kind = 'keyring'
        return isUnlocked
      },
    }
    const simulator = await testSimulator()
    const { features } = await connectedStation(
      await temporaryFolder(),
      simulator,
      { labelDelivery: 'by-url' },
      { cipher },
    )
    simulator.faults.add({ operation: 'label', fault: { kind: 'status', status: 503 } })
    const { id } = await shipped(features, 'ORDER-1')
    const onDisk = async () => (await features.shipmentRepository.find(id))?.sealedLabelUrl
    expect(await onDisk()).toBeNull()
    isUnlocked = true
    await features.carrier.open()
    await vi.waitFor(async () => expect(await onDisk()).toEqual(expect.any(String)))
  })
})

describe('a weakly encrypted label URL', () => {
  /** A computer without a keyring. */
  const weakCipher: Cipher = { ...reversingCipher, available: () => 'weak' }

  /** A station with the weakly encrypted URL of a label that could not be fetched. */
  async function weaklyEncrypted() {
    const data = await temporaryFolder()
    const simulator = await testSimulator()
    const started = await connectedStation(
      data,
      simulator,
      { allowWeakStorage: true, labelDelivery: 'by-url' },
      { cipher: weakCipher },
    )
    simulator.faults.add({ operation: 'label', fault: { kind: 'status', status: 503 }, times: 1 })
    const { id } = await shipped(started.features, 'ORDER-1')
    const onDisk = async (shipmentId = id) => {
      const file = JSON.parse(await readFile(join(data, 'labels', shipmentId, 'shipment.json'), 'utf8'))
      const row = await started.features.shipmentRepository.find(shipmentId)
      return [file.sealedLabelUrl, row?.sealedLabelUrl]
    }
    expect(await onDisk()).toEqual([expect.any(String), expect.any(String)])
    return { ...started, data, simulator, id, onDisk }
  }

  it('is removed from the disk when weak storage is switched off, and the label can still be fetched from memory', async () => {
    const { features, id, onDisk } = await weaklyEncrypted()
    features.settings.change({ allowWeakStorage: false })
    await vi.waitFor(async () => expect(await onDisk()).toEqual([null, null]))
    expect(await features.shipping.completeLabels(id, false)).toMatchObject({
      ok: true,
      value: { labels: [{ problem: null }] },
    })
  })

  it('is stored again when weak storage is allowed again, and is usable after a restart', async () => {
    const { station, features, data, id, onDisk } = await weaklyEncrypted()
    features.settings.change({ allowWeakStorage: false })
    await vi.waitFor(async () => expect(await onDisk()).toEqual([null, null]))
    features.settings.change({ allowWeakStorage: true })
    await vi.waitFor(async () => expect(await onDisk()).toEqual([expect.any(String), expect.any(String)]))
    await station.stop()
    const next = await (await stationOn(data, { cipher: weakCipher })).start()
    if (!next.ok) throw new Error(next.error.message)
    expect(await next.value.shipping.completeLabels(id, false)).toMatchObject({
      ok: true,
      value: { labels: [{ problem: null }] },
    })
  })

  it('is removed from the disk even when the file of another shipment cannot be written', async () => {
    const { features, data, id, onDisk } = await weaklyEncrypted()
    const { id: second } = await shipped(features, 'ORDER-2')
    // A folder at the path of the temporary file blocks the write even for root.
    await mkdir(join(data, 'labels', id, 'shipment.json.part'))
    features.settings.change({ allowWeakStorage: false })
    await vi.waitFor(async () => expect(await onDisk(second)).toEqual([null, null]))
  })

  it('is removed from the disk at the next start when weak storage was switched off in the settings file', async () => {
    const { station, data, id } = await weaklyEncrypted()
    await station.stop()
    const file = join(data, 'settings.json')
    const settings = JSON.parse(await readFile(file, 'utf8'))
    await writeFile(file, JSON.stringify({ ...settings, allowWeakStorage: false }))
    const next = await stationOn(data, { cipher: weakCipher })
    const features = await next.start()
    if (!features.ok) throw new Error(features.error.message)
    expect((await features.value.shipmentRepository.find(id))?.sealedLabelUrl).toBeNull()
    expect(await readFile(join(data, 'labels', id, 'shipment.json'), 'utf8')).toContain(
      '"sealedLabelUrl":null',
    )
  })

  it('stays on the disk while weak storage is allowed', async () => {
    const { features, id, onDisk } = await weaklyEncrypted()
    expect((await features.shipping.completeLabels(id, false)).ok).toBe(true)
    features.settings.change({ printers: [] })
    expect(await onDisk()).toEqual([expect.any(String), expect.any(String)])
  })
})
