import { z } from 'zod'
import { guardedMethod, nothing, openMethod } from './contract'
import { appErrorSchema } from './errors'

/** The account as the screen sees it: never the password, never the key. */
export const accountStatusSchema = z.object({
  state: z.enum(['none', 'connected', 'not-connected', 'locked']),
  /** Host of the service; null without an account. */
  host: z.string().nullable(),
  name: z.string().nullable(),
  customerId: z.string().nullable(),
  accountId: z.string().nullable(),
  /** Where the credentials are stored. */
  storage: z.enum(['keyring', 'weak', 'memory']),
  /** The keyring is locked: a stored account can't be read, and a new one stays in memory until it is unlocked. */
  isKeyringLocked: z.boolean(),
  error: appErrorSchema.nullable(),
})
export type AccountStatus = z.infer<typeof accountStatusSchema>

/** What the operator types to connect. */
export const connectAccountSchema = z.strictObject({
  baseUrl: z.string().trim().min(1).max(2000),
  user: z.string().min(1).max(500),
  password: z.string().min(1).max(500),
})
export type ConnectAccount = z.infer<typeof connectAccountSchema>

/** Methods of the bridge for the account. */
export const accountMethods = {
  connectAccount: guardedMethod('account', connectAccountSchema, accountStatusSchema),
  /** Requests a new key from the service with the stored credentials. */
  testAccount: openMethod(nothing, accountStatusSchema),
  forgetAccount: guardedMethod('account', nothing, accountStatusSchema),
}
