import { z } from 'zod'

/**
 * Actions that the administrator's PIN can protect. `settings` covers everything with a lasting effect: printers, rules,
 * products, senders, remembered consignees, and opening folders in which a person could change files.
 */
export const guardedActionSchema = z.enum(['settings', 'account', 'resolve', 'lock'])

/** The group of calls that the PIN may guard. `people` is always guarded, since it includes changing the guards. */
export type Guard = z.infer<typeof guardedActionSchema> | 'people'

/** SECURITY: what guards a method's calls; a function decides it for one call by the parsed input. */
export type GuardOf<Input> = Guard | ((input: Input) => Guard | 'none')

/** A method of the bridge without a guard: the schemas of its input, which main parses at each call, and of its output. */
export function openMethod<Input extends z.ZodType, Output extends z.ZodType>(input: Input, output: Output) {
  const guard: GuardOf<z.output<Input>> | 'none' = 'none'
  return { guard, input, output }
}

/** A method of the bridge of which some or all calls need the PIN while the guard is on. */
export function guardedMethod<Input extends z.ZodType, Output extends z.ZodType>(
  guard: GuardOf<z.output<Input>>,
  input: Input,
  output: Output,
) {
  return { guard, input, output }
}

/** Input or output of a method without one. */
export const nothing = z.undefined()
