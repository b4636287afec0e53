import { z } from 'zod'

/** A method of the bridge: what goes into it, parsed in main at each call, and what comes out of it. */
export function method<Input extends z.ZodType, Output extends z.ZodType>(input: Input, output: Output) {
  return { input, output }
}

/** For a method that takes, or gives back, nothing. */
export const nothing = z.undefined()
