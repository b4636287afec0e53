import { z } from 'zod'
import { guardedActionSchema, guardedMethod, nothing, openMethod } from './contract'

/** An operator of this station. */
export const operatorSchema = z.strictObject({
  name: z.string().trim().min(1).max(60),
  /** The code that a scan of their badge gives; missing without a badge. */
  badge: z.string().trim().min(1).max(100).optional(),
})

/** Operators and PIN protection. The PIN itself is not a setting and stays in main. */
export const peopleSettingsSchema = z.strictObject({
  operators: z.array(operatorSchema).max(500),
  /** Whether an operator must be signed in before something is shipped from the screen. */
  isRequired: z.boolean(),
  /** Whether the operator's name is sent to the service as `created_by`. */
  isSent: z.boolean(),
  /** Protected actions, once there is a PIN. */
  guards: z.array(guardedActionSchema).max(guardedActionSchema.options.length),
  /** For how many minutes a typed PIN stays valid. */
  grantMinutes: z.int().min(1).max(480),
})
export type PeopleSettings = z.infer<typeof peopleSettingsSchema>

/** Nobody signs in; once a PIN is set, it protects all actions. */
export const defaultPeopleSettings: PeopleSettings = {
  operators: [],
  isRequired: false,
  isSent: false,
  guards: [...guardedActionSchema.options],
  grantMinutes: 5,
}

/** Only digits, which can be typed on a number pad. */
export const pinSchema = z.string().regex(/^\d{4,12}$/, { error: 'pin' })

export const peopleStatusSchema = z.object({
  /** The name of the signed-in operator; null when nobody is signed in. */
  operator: z.string().nullable(),
  hasPin: z.boolean(),
  /** Whether the PIN was typed and is still valid. */
  isGranted: z.boolean(),
  /** When a PIN may be tried again after wrong ones; null when it may be tried now. */
  retryAt: z.iso.datetime().nullable(),
})
export type PeopleStatus = z.infer<typeof peopleStatusSchema>

/** Methods of the bridge for people. Main tracks the current operator itself: no other method takes an operator's name. */
export const peopleMethods = {
  getPeople: openMethod(nothing, peopleStatusSchema),
  /** Signs an operator in by badge or name, and signs out the current one. */
  signIn: openMethod(
    z.union([
      z.strictObject({ name: operatorSchema.shape.name }),
      z.strictObject({ badge: z.string().trim().min(1).max(100) }),
    ]),
    peopleStatusSchema,
  ),
  /** Signs the operator out, and ends the PIN's validity. */
  signOut: openMethod(nothing, peopleStatusSchema),
  enterPin: openMethod(z.strictObject({ pin: z.string().max(12) }), peopleStatusSchema),
  /** Ends the PIN's validity early. */
  endGrant: openMethod(nothing, peopleStatusSchema),
  /** Sets or removes the PIN; the current PIN must have been typed first. */
  setPin: guardedMethod('people', z.strictObject({ pin: pinSchema.nullable() }), peopleStatusSchema),
}

/** Events for people. */
export const peopleEvents = { peopleChanged: peopleStatusSchema }
