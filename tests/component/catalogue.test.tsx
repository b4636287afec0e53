import { act, screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { Catalogue } from '../../src/renderer/features/settings/customs/Catalogue'
import { ok } from '../../src/shared/result'
import { deferred } from '../support/deferred'
import { createFakeBridge } from '../support/fakeBridge'
import { renderApp } from './renderApp'

it('a second catalogue file can be chosen only after the first one was read and imported', async () => {
  const fake = createFakeBridge()
  const imported = deferred<Awaited<ReturnType<typeof fake.bridge.importProducts>>>()
  fake.bridge.importProducts = () => imported.promise
  const { user } = renderApp(<Catalogue />, fake)
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Import CSV or XLSX' })
  const file = new File(['code;name'], 'one.csv')
  const reading = deferred<ArrayBuffer>()
  file.arrayBuffer = () => reading.promise
  await user.upload(screen.getByLabelText('Import CSV or XLSX', { selector: 'input' }), file)
  expect(button.disabled).toBe(true)
  await act(async () => reading.resolve(new ArrayBuffer(1)))
  await waitFor(() => expect(fake.calls.map(({ method }) => method)).toContain('importProducts'))
  expect(button.disabled).toBe(true)
  const outcome = { added: 3, changed: 0, linesLeftOut: 0, codeNumbers: 0, issues: [], missingColumns: [] }
  await act(async () => imported.resolve(ok(outcome)))
  expect(button.disabled).toBe(false)
})

it('an import names the columns that the file lacks', async () => {
  const fake = createFakeBridge()
  const outcome = { added: 0, changed: 800, linesLeftOut: 0, codeNumbers: 0, issues: [] }
  fake.bridge.importProducts = async () => ok({ ...outcome, missingColumns: ['hsCode', 'weight'] })
  const { user } = renderApp(<Catalogue />, fake)
  const input = await screen.findByLabelText('Import CSV or XLSX', { selector: 'input' })
  await user.upload(input, new File(['code;name'], 'one.csv'))
  expect(await screen.findByText(/file lacks: hsCode, weight\. Known products keep/)).toBeDefined()
})
