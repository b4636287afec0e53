import type { AccountStatus, accountMethods } from '../../shared/account'
import type { HandlersOf } from '../../shared/bridge'
import type { Result } from '../../shared/result'
import type { ServiceHealth } from '../carrier/gateway'
import type { Session } from './session'

/** The account as it is before somebody changes it. */
export interface AccountBefore {
  state: AccountStatus['state']
  /** Null without an account, or with one that can't be read. */
  baseUrl: URL | null
}

export interface AccountHandlerDeps {
  session: Session
  health: Pick<ServiceHealth, 'noting'>
  consent: {
    /** Asks a person before credentials go to another service than before. */
    forAccount(baseUrl: string, before: AccountBefore): Promise<Result<undefined>>
    noteForgotten(before: AccountBefore): void
  }
}

/** The handlers of the account. */
export function createAccountHandlers(deps: AccountHandlerDeps): HandlersOf<typeof accountMethods> {
  const { session, health, consent } = deps
  const before = (): AccountBefore => ({ state: session.status().state, baseUrl: session.baseUrl() })
  return {
    connectAccount: async (input) => {
      const agreed = await consent.forAccount(input.baseUrl, before())
      return agreed.ok ? health.noting(await session.connect(input)) : agreed
    },
    testAccount: async () => health.noting(await session.test()),
    forgetAccount: () => {
      consent.noteForgotten(before())
      return session.forget()
    },
  }
}
