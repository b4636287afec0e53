/**
 * What fuzzing has found, or what stands for a whole family of defects: each reader meets these first, at every run. A new
 * find goes in here together with its fix, as fast-check prints it («Counterexample»).
 */

type Damage = { kind: 'byte' | 'cut' | 'digit'; at: number; byte: number }

/** Which PDF, and what is done to it. */
export const damagedPdfs: [number, Damage[]][] = [
  [0, [{ kind: 'cut', at: 0, byte: 0 }]],
  [0, [{ kind: 'cut', at: 8, byte: 0 }]],
  [0, [{ kind: 'digit', at: 12, byte: 9 }]],
  [1, [{ kind: 'byte', at: 700, byte: 255 }]],
]
