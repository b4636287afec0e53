import { expect, it, vi } from 'vitest'
import { createOrderShipping } from '../../../src/main/hotFolder/lineOutcome'
import type { AccountStatus } from '../../../src/shared/account'
import { type AppError, appError } from '../../../src/shared/errors'

function accountRefusal(
  state: AccountStatus['state'],
  error: AppError | null,
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
    fleet: { isMember: () => false },
    claims: { findBlocker: vi.fn() },
  })
  return shipping.findAccountRefusal()
}

it('leaves an order file to other stations while this one has no account, or one that it can’t use', async () => {
  expect(await accountRefusal('none', null)).toMatchObject({ code: 'no-account' })
  expect(await accountRefusal('locked', appError('vault-unreadable'))).toMatchObject({
    code: 'vault-unreadable',
  })
  expect(await accountRefusal('locked', appError('vault-locked'))).toMatchObject({ code: 'vault-locked' })
  expect(await accountRefusal('not-connected', appError('account-refused'))).toMatchObject({
    code: 'account-refused',
  })
})

it('begins an order file while the service can’t be reached', async () => {
  expect(await accountRefusal('not-connected', null)).toBeUndefined()
  expect(await accountRefusal('not-connected', appError('service-timeout'))).toBeUndefined()
})
