import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { SaveMapping } from '../../src/renderer/features/orders/SaveMapping'
import type { OrderMapping } from '../../src/shared/orders'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleSettings } from '../support/screenSamples'
import { renderApp } from './renderApp'

const mapping: OrderMapping = { weightUnit: 'g', fields: { reference: { columns: ['Nr'] } } }
const earlier = { name: 'ERP', mapping: { ...mapping, weightUnit: 'kg' as const } }

it('the form for saving a mapping saves a mapping under a name and replaces one of the same name', async () => {
  const fake = createFakeBridge({ settings: sampleSettings({ importMappings: [earlier] }) })
  const { user } = renderApp(<SaveMapping mapping={mapping} />, fake)
  await user.type(await screen.findByRole('combobox', { name: /Name of this mapping/ }), 'ERP')
  expect(screen.getByRole('button', { name: 'Remove mapping' })).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Save mapping' }))
  expect(await screen.findByText('The mapping was saved.')).toBeTruthy()
  expect(fake.calls.find(({ method }) => method === 'changeSettings')?.input).toEqual({
    importMappings: [{ name: 'ERP', mapping }],
  })
})

it('the form for saving a mapping neither removes the mapping that the hot folder uses nor saves one without a reference column', async () => {
  const hotFolder = { path: 'exchange', print: true, mapping: 'ERP' }
  const fake = createFakeBridge({ settings: sampleSettings({ importMappings: [earlier], hotFolder }) })
  const { user } = renderApp(<SaveMapping mapping={{ weightUnit: 'g', fields: {} }} />, fake)
  await user.type(await screen.findByRole('combobox', { name: /Name of this mapping/ }), 'ERP')
  expect(screen.queryByRole('button', { name: 'Remove mapping' })).toBeNull()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save mapping' }).disabled).toBe(true)
})
