import { z } from 'zod'
import { method, nothing } from './contract'

/** Someone who packs at this station. */
export const operatorSchema = z.strictObject({
  name: z.string().trim().min(1).max(60),
  /** What their badge reads when it is scanned; left out without a badge. */
  badge: z.string().trim().min(1).max(100).optional(),
})

/** What the administrator's PIN can stand before. */
export const guardedActionSchema = z.enum(['settings', 'account', 'resolve', 'lock'])
export type GuardedAction = z.infer<typeof guardedActionSchema>

/** Who works here, and what the administrator keeps to themselves. The PIN is not among it: it stays in main. */
export const peopleSettingsSchema = z.strictObject({
  operators: z.array(operatorSchema).max(500),
  /** Whether an operator has to be signed in before something is shipped from the screen. */
  isRequired: z.boolean(),
  /** Whether the service is told the operator's name as `created_by`. */
  isSent: z.boolean(),
  /** Holds as soon as there is a PIN. */
  guards: z.array(guardedActionSchema).max(guardedActionSchema.options.length),
  /** Minutes that a PIN which was typed holds. */
  grantMinutes: z.int().min(1).max(480),
})
export type PeopleSettings = z.infer<typeof peopleSettingsSchema>

/** Nobody signs in; once a PIN is set, it stands before everything that it can stand before. */
export const defaultPeopleSettings: PeopleSettings = {
  operators: [],
  isRequired: false,
  isSent: false,
  guards: [...guardedActionSchema.options],
  grantMinutes: 5,
}

/** Digits, as they are typed on a number pad. */
export const pinSchema = z.string().regex(/^\d{4,12}$/, { error: 'pin' })

export const peopleStatusSchema = z.object({
  /** The name of the operator who is signed in; null when nobody is. */
  operator: z.string().nullable(),
  hasPin: z.boolean(),
  /** Whether the PIN was typed, and still holds. */
  isGranted: z.boolean(),
  /** When a PIN may be tried again after wrong ones; null when it may be now. */
  retryAt: z.iso.datetime().nullable(),
})
export type PeopleStatus = z.infer<typeof peopleStatusSchema>

/** Methods of the bridge for people. Whose work it is knows main alone: no other method takes a name. */
export const peopleMethods = {
  getPeople: method(nothing, peopleStatusSchema),
  /** Signs an operator in, in the place of another one: by their badge, or by their name. */
  signIn: method(
    z.union([
      z.strictObject({ name: operatorSchema.shape.name }),
      z.strictObject({ badge: z.string().trim().min(1).max(100) }),
    ]),
    peopleStatusSchema,
  ),
  /** Signs the operator out, and ends what the PIN granted. */
  signOut: method(nothing, peopleStatusSchema),
  enterPin: method(z.strictObject({ pin: z.string().max(12) }), peopleStatusSchema),
  /** Ends what the PIN granted before its time is over. */
  endGrant: method(nothing, peopleStatusSchema),
  /** Sets another PIN, or takes it away; while there is one, it has to be typed first. */
  setPin: method(z.strictObject({ pin: pinSchema.nullable() }), peopleStatusSchema),
}

/** Events for people. */
export const peopleEvents = { peopleChanged: peopleStatusSchema }
