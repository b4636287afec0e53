import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { CustomsRepository } from '../../../src/main/customs/repository'
import type { SenderProfile } from '../../../src/shared/customs'
import { openTestDatabase } from '../../support/databaseWorker'
import { temporaryFolder } from '../../support/temporaryFolder'

function aSender(name: string, country: string): SenderProfile {
  return {
    ...{ id: randomUUID(), name },
    party: {
      ...{ companyName: name, name: '', street: 'Dam', houseNumber: '1', postalCode: '1012', city: 'X' },
      ...{ country, email: '', phoneNumber: '', type: 'Y', vatNumber: '', eoriNumber: '' },
    },
  }
}

it('listSendingCountries returns the countries of all senders, and follows changes', async () => {
  const opened = await openTestDatabase(join(await temporaryFolder(), 'packbench.db'))
  if (!opened.ok) throw new Error(opened.error.message)
  onTestFinished(() => opened.value.destroy())
  const customs = new CustomsRepository(opened.value)
  expect(await customs.listSendingCountries()).toEqual([])
  const warehouse = aSender('B', 'NL')
  await customs.saveSenderProfile(warehouse)
  expect(await customs.listSendingCountries()).toEqual(['NL'])
  const abroad = aSender('A', 'CH')
  const saved = customs.saveSenderProfile(abroad)
  await customs.listSendingCountries()
  await saved
  const both = await customs.listSendingCountries()
  expect(await customs.listSendingCountries()).toBe(both)
  expect(await customs.listSendingCountries()).toEqual(['CH', 'NL'])
  await customs.removeSenderProfile(abroad.id)
  expect(await customs.listSendingCountries()).toEqual(['NL'])
})
