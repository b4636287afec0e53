import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { useStatus } from '../../src/renderer/bridge'
import { StartErrorScreen } from '../../src/renderer/features/startError/StartErrorScreen'
import { appError } from '../../src/shared/errors'
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

it('says that the error is still there after a try, and goes once a way out worked', async () => {
  const startError = appError('settings-invalid', { path: '/data/settings.json' })
  const { user } = renderApp(<Front />, createFakeBridge({ status: sampleStatus({ startError }) }))
  await user.click(await screen.findByRole('button', { name: 'Try again' }))
  expect(await screen.findByText(/still/i)).toBeDefined()
  await user.click(screen.getByRole('button', { name: /default settings/i }))
  expect(await screen.findByText('at work')).toBeDefined()
})
