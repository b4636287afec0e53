import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import * as en from '../../src/locales/en'
import { NetworkTab } from '../../src/renderer/features/settings/NetworkTab'
import { SettingsForms } from '../../src/renderer/features/settings/tabForm'
import { appError } from '../../src/shared/errors'
import { ok } from '../../src/shared/result'
import { createFakeBridge } from '../support/fakeBridge'
import { renderApp } from './renderApp'

function renderTab() {
  const fake = createFakeBridge()
  fake.bridge.getNetwork = async () => ok({ proxy: 'proxy.example:3128', credentialsFor: null })
  const rendered = renderApp(
    <SettingsForms>
      <NetworkTab hasAccount />
    </SettingsForms>,
    fake,
  )
  return { ...rendered, fake }
}

it('the Network tab tests the typed values, and shows which hops were reached and who issued the certificate', async () => {
  const { user, fake } = renderTab()
  await user.selectOptions(await screen.findByLabelText(en.network.mode), 'manual')
  await user.type(screen.getByLabelText(en.network.fields.host), 'proxy.example')
  await user.type(screen.getByLabelText(en.network.fields.user), 'bench-7')
  await user.type(screen.getByLabelText(en.network.fields.password), 'typed-9')
  const error = appError('certificate-not-trusted', { host: 'carrier.example', issuer: 'Company Root' })
  fake.bridge.testNetwork = async () =>
    ok({
      ...{ target: 'carrier.example:443', proxy: 'proxy.example:8080', issuer: 'Company Root' },
      ...{ reached: ['proxy', 'tunnel'], failed: { hop: 'trust', error } },
    })
  await user.click(screen.getByRole('button', { name: en.common.testConnection }))
  expect(await screen.findByText(/issued by “Company Root”/)).toBeTruthy()
  expect(screen.getAllByRole('img', { name: en.network.good })).toHaveLength(2)
  const { input } = fake.calls.find(({ method }) => method === 'testNetwork') ?? {}
  expect(input).toMatchObject({
    proxy: { mode: 'manual', host: 'proxy.example', port: 8080 },
    credentials: { user: 'bench-7', password: 'typed-9' },
    address: null,
  })
})

it('the Network tab stores the proxy’s credentials and does not show them again', async () => {
  const { user, fake, client } = renderTab()
  fake.bridge.setProxyCredentials = async () =>
    ok({ proxy: 'proxy.example:3128', credentialsFor: 'proxy.example:3128' })
  await user.type(await screen.findByLabelText(en.network.fields.user), 'bench-7')
  await user.type(screen.getByLabelText(en.network.fields.password), 'typed-9')
  await user.click(screen.getByRole('button', { name: en.network.keepCredentials }))
  expect(await screen.findByText(/are stored for proxy.example:3128/)).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>(en.network.fields.password).value).toBe('')
  const remembered = client.getMutationCache().getAll()
  expect(remembered.map(({ state }) => state.variables)).not.toContainEqual({
    credentials: { user: 'bench-7', password: 'typed-9' },
  })
})

it('the Network tab reports an invalid field before anything is tested', async () => {
  const { user, fake } = renderTab()
  await user.selectOptions(await screen.findByLabelText(en.network.mode), 'manual')
  await user.type(screen.getByLabelText(en.network.fields.host), 'http://proxy')
  await user.click(screen.getByRole('button', { name: en.common.testConnection }))
  expect(await screen.findByText(en.network.hostIssue)).toBeTruthy()
  expect(fake.calls.some(({ method }) => method === 'testNetwork')).toBe(false)
})
