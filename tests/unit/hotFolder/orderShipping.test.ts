import { expect, it, vi } from 'vitest'
import { createOrderShipping } from '../../../src/main/hotFolder/lineOutcome'
import type { GuardedShipment } from '../../../src/main/shipments/duplicateGuard'
import type { AccountStatus } from '../../../src/shared/account'
import { type AppError, appError } from '../../../src/shared/errors'

function findRefusal(
  state: AccountStatus['state'],
  error: AppError | null,
  fleetRefusal?: AppError,
): Promise<AppError | undefined> {
  const account = {
    state,
    host: null,
    name: null,
    customerId: null,
    accountId: null,
    storage: 'memory',
    isKeyringLocked: false,
    error,
  } as const
  const shipping = createOrderShipping({
    shipping: { create: vi.fn() },
    shipmentRepository: { listEarlier: vi.fn() },
    history: { findAttempt: vi.fn(), getDetails: vi.fn() },
    printing: { whenJobsEnded: vi.fn() },
    session: { status: () => account, followKeyring: async () => undefined },
    fleet: {
      isMember: () => fleetRefusal !== undefined,
      findRefusal: () => fleetRefusal,
      waitForAttempt: async () => undefined,
    },
    claims: { findBlocker: vi.fn() },
  })
  return shipping.findRefusal()
}

it('leaves an order file to other stations while this one has no account, or one that it can’t use', async () => {
  expect(await findRefusal('none', null)).toMatchObject({ code: 'no-account' })
  expect(await findRefusal('locked', appError('vault-unreadable'))).toMatchObject({
    code: 'vault-unreadable',
  })
  expect(await findRefusal('locked', appError('vault-locked'))).toMatchObject({ code: 'vault-locked' })
  expect(await findRefusal('not-connected', appError('account-refused'))).toMatchObject({
    code: 'account-refused',
  })
})

it('begins an order file while the service can’t be reached', async () => {
  expect(await findRefusal('not-connected', null)).toBeUndefined()
  expect(await findRefusal('not-connected', appError('service-timeout'))).toBeUndefined()
})

it('leaves an order file to other stations while the fleet refuses this one', async () => {
  const refusal = appError('fleet-schema-newer', { version: '9', known: '8' })
  expect(await findRefusal('connected', null, refusal)).toEqual(refusal)
  expect(await findRefusal('none', null, refusal)).toMatchObject({ code: 'no-account' })
})

it.each([
  [
    'one that was not cancelled',
    appError('shipment-duplicate', { shipmentId: 'other', reference: 'A' }),
    'other',
  ],
  [
    'one without an outcome',
    appError('shipment-unsettled', { shipmentId: 'other', reference: 'A' }),
    'other',
  ],
  ['none', undefined, 'own'],
  ['an error', appError('fleet-unreachable'), 'own'],
])(
  'names the shipment of another station after a cancellation here, if the fleet has %s',
  async (_, elsewhere, named) => {
    const cancelled: GuardedShipment = {
      ...{ id: 'own', reference: 'A', state: 'created', takenAt: '2026-11-21T10:00:00.000Z' },
      ...{ barcodes: [], cancelledAt: '2026-11-21T11:00:00.000Z' },
    }
    const shipping = createOrderShipping({
      shipping: { create: vi.fn() },
      shipmentRepository: { listEarlier: async () => [cancelled] },
      history: { findAttempt: vi.fn(), getDetails: vi.fn() },
      printing: { whenJobsEnded: vi.fn() },
      session: { status: vi.fn(), followKeyring: vi.fn() },
      fleet: { isMember: () => true, findRefusal: () => undefined, waitForAttempt: async () => undefined },
      claims: { findBlocker: async () => elsewhere },
    })
    expect((await shipping.findBlocker('A'))?.details?.shipmentId).toBe(named)
  },
)
