import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { useStatus } from '../../src/renderer/bridge'
import { StartErrorScreen } from '../../src/renderer/features/startError/Screen'
import { appError } from '../../src/shared/errors'
import { err, ok } from '../../src/shared/result'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleStatus } from '../support/screenSamples'
import { renderApp } from './renderApp'

function Front() {
  const status = useStatus()
  return status?.startError ? (
    <StartErrorScreen status={status} startError={status.startError} />
  ) : (
    <p>at work</p>
  )
}

it('the start error screen says that the error persists after a try, and closes once an action succeeded', async () => {
  const startError = appError('settings-invalid', { path: '/data/settings.json' })
  const { user } = renderApp(<Front />, createFakeBridge({ status: sampleStatus({ startError }) }))
  await user.click(await screen.findByRole('button', { name: 'Try again' }))
  expect(await screen.findByText(/still/i)).toBeDefined()
  await user.click(screen.getByRole('button', { name: /default settings/i }))
  // Asked first: the station has to be set up again.
  expect(screen.queryByText('at work')).toBeNull()
  expect(await screen.findByText(/If it belongs to a fleet/)).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Start with default settings' }))
  expect(await screen.findByText('at work')).toBeDefined()
})

it('the start error screen shows the path of the data folder when it can’t be opened', async () => {
  const startError = appError('settings-invalid', { path: '/data/settings.json' })
  const fake = createFakeBridge({ status: sampleStatus({ startError }) })
  fake.bridge.openDataFolder = async () => err(appError('folder-not-opened', { folder: '/data' }))
  const { user } = renderApp(<Front />, fake)
  await user.click(await screen.findByRole('button', { name: 'Open data folder' }))
  expect(await screen.findByText(/The folder \/data could not be opened/)).toBeDefined()
})

it('the start error screen names the files of the backups, of which two can be of one day', async () => {
  const fake = createFakeBridge()
  const backup = { day: '2026-11-26', shipments: 12 }
  const names = ['packbench-2026-11-26-12.db', 'packbench-v41-2026-11-26-12.db']
  fake.bridge.listBackups = async () => ok(names.map((name) => ({ ...backup, name })))
  const [, beforeUpdate = ''] = names
  const startError = appError('database-newer', {
    ...{ case: 'backup', path: '/data/packbench.db', version: '43', known: '41' },
    backup: beforeUpdate,
  })
  fake.state.status = sampleStatus({ startError })
  renderApp(<Front />, fake)
  const rows = await screen.findAllByRole('listitem')
  expect(rows.map(({ textContent }) => names.filter((name) => textContent?.includes(name)))).toEqual([
    [names[0]],
    [names[1]],
  ])
  expect(screen.getByRole('button', { description: new RegExp(beforeUpdate) })).toBeTruthy()
})

it('the start error screen offers to restore a backup from a folder when the history is lost, and shows the error if that fails', async () => {
  const startError = appError('database-damaged', { path: '/data/packbench.db' })
  const fake = createFakeBridge({ status: sampleStatus({ startError }) })
  fake.bridge.restoreStation = async () =>
    err(appError('backup-unusable', { path: '/share', reason: 'there is no copy of a database in it' }))
  const { user } = renderApp(<Front />, fake)
  await user.click(await screen.findByRole('button', { name: 'Restore a copy from a folder …' }))
  expect(await screen.findByText(/there is no copy of a database in it/)).toBeDefined()
})
