import { expect, it, vi } from 'vitest'
import { createOrderShipping } from '../../../src/main/hotFolder/lineOutcome'
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
