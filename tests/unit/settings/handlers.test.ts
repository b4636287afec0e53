import { expect, it } from 'vitest'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { createSettingsHandlers } from '../../../src/main/settings/handlers'
import { openSettings } from '../../../src/main/settings/settingsStore'
import { appError } from '../../../src/shared/errors'
import { err, ok } from '../../../src/shared/result'
import { MemoryJsonFile } from './memoryJsonFile'

it('a station that claims a reference while its person is asked for consent does not leave its fleet', async () => {
  const fleet = {
    host: 'db.example',
    port: 5432,
    database: 'packbench',
    user: 'packbench',
    station: 'Bench 1',
  }
  const opened = openSettings(new MemoryJsonFile({ version: 1, fleet }), createEventBus())
  if (!opened.ok) throw new Error(opened.error.message)
  const settings = opened.value
  let holdsReference = false
  const { changeSettings } = createSettingsHandlers({
    settings,
    targetConsent: {
      async forChange() {
        holdsReference = true
        return ok(undefined)
      },
      noteChosenFolder() {},
    },
    claims: {
      mayLeaveFor: async () =>
        holdsReference
          ? err(appError('fleet-holds-references', { references: 'ORDER-1', count: '1' }))
          : ok(undefined),
    },
    desktop: { chooseFolder: async () => null },
  })
  expect(await changeSettings({ fleet: null })).toMatchObject({ error: { code: 'fleet-holds-references' } })
  expect(settings.current().fleet).toMatchObject(fleet)
})
