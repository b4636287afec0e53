import { act, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { LimitsPanel } from '../../src/renderer/features/ship/SidePanels'
import { useShip } from '../../src/renderer/features/ship/stores'
import type { AppError } from '../../src/shared/errors'
import { ok, type Result } from '../../src/shared/result'
import type { CarrierLimits } from '../../src/shared/shipments'
import { deferred } from '../support/deferred'
import { createFakeBridge } from '../support/fakeBridge'
import { renderApp } from './renderApp'

const getLimits = (maxWeight: string): CarrierLimits => ({
  minLength: null,
  maxLength: null,
  minWidth: null,
  maxWidth: null,
  minHeight: null,
  maxHeight: null,
  minWeight: null,
  maxWeight,
  maxVolume: null,
  maxCircumference: null,
})

/** Stands in for the operator's choice of a carrier option. */
function Choice({ carrier }: { carrier: string }) {
  const edit = useShip((state) => state.edit)
  return (
    <button type="button" onClick={() => edit({ carrier })}>
      {carrier}
    </button>
  )
}

it('Ship shows the limits of the currently chosen carrier option only', async () => {
  const slow = deferred<Result<CarrierLimits | null, AppError>>()
  const fake = createFakeBridge()
  fake.bridge.getCarrierLimits = ({ carrierOptionId }) =>
    carrierOptionId === 34 ? slow.promise : Promise.resolve(ok(getLimits('31.500')))
  const { user } = renderApp(
    <>
      <Choice carrier="12:34" />
      <Choice carrier="14:51" />
      <LimitsPanel />
    </>,
    fake,
  )
  await user.click(screen.getByText('12:34'))
  await user.click(screen.getByText('14:51'))
  expect(await screen.findByText(/31\.500/)).toBeTruthy()
  await act(async () => slow.resolve(ok(getLimits('10.000'))))
  expect(screen.getByText(/31\.500/)).toBeTruthy()
  expect(screen.queryByText(/10\.000/)).toBeNull()
})
