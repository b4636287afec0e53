import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { reencryptLabelUrls } from '../../../src/main/shipments/receivedAnswers'
import { createShipmentFiles } from '../../../src/main/shipments/shipmentFiles'
import { aDraft } from '../../support/drafts'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'

const shipmentId = '00000000-0000-4000-8000-000000000001'
const receivedAt = '2026-11-26T08:00:00.000Z'

it('reencryptLabelUrls keeps the stored answer when the newly encrypted label URL cannot be written', async () => {
  const folder = await temporaryFolder()
  const files = createShipmentFiles(folder)
  await files.writeOrder(shipmentId, {
    ...{ attemptId: shipmentId, origin: 'screen', operator: null, print: true, takenAt: receivedAt },
    draft: aDraft({ reference: 'A-1' }),
  })
  await files.writeAnswer(shipmentId, {
    ...{ version: 1, host: 'carrier.example', delivery: 'by-url', status: 200, receivedAt, text: null },
    ...{ sealedLabelUrl: 'old', content: { status: true, barcode: '3S1' }, isCut: false },
  })
  const answer = await files.readAnswer(shipmentId)
  expect(answer).toBeDefined()
  // The disk accepts no file under the temporary name.
  await mkdir(join(folder, shipmentId, 'answer.json.part'))
  await chmod(join(folder, shipmentId, 'answer.json.part'), 0o500)
  await reencryptLabelUrls({
    shipmentRepository: {
      listLabels: async () => [],
      listLabelUrls: async () => [{ shipmentId, encrypted: 'old' }],
      replaceLabelUrl: async () => undefined,
    },
    files,
    receivedAnswers: { holdUrl: () => undefined, listHeldUrls: () => [] },
    urlCipher: { encrypt: () => 'new', decrypt: () => 'https://carrier.example/label' },
    log: silentLog,
  })
  expect(await files.readAnswer(shipmentId)).toEqual(answer)
})
