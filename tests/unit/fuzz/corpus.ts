/**
 * Inputs that fuzzing has found, or that represent a class of defects. Every run tests them first. Add the input of a new
 * finding here together with its fix, as fast-check prints it («Counterexample»).
 */

type Damage = { kind: 'byte' | 'cut' | 'digit'; at: number; byte: number }

/** The index of the PDF, and the changes to its bytes. */
export const damagedPdfs: [number, Damage[]][] = [
  [0, [{ kind: 'cut', at: 0, byte: 0 }]],
  [0, [{ kind: 'cut', at: 8, byte: 0 }]],
  [0, [{ kind: 'digit', at: 12, byte: 9 }]],
  [1, [{ kind: 'byte', at: 700, byte: 255 }]],
]
