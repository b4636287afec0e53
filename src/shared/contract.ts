import { z } from 'zod'

/** A method of the bridge: the schemas of its input, which main parses at each call, and of its output. */
export function method<Input extends z.ZodType, Output extends z.ZodType>(input: Input, output: Output) {
  return { input, output }
}

/** Input or output of a method without one. */
export const nothing = z.undefined()
