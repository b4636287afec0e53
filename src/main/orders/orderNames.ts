import { parse } from 'node:path'

export type OrderFormat = 'json' | 'csv'

/** The format that a file's name stands for; undefined for names that the hot folder never takes. */
export function formatOf(name: string): OrderFormat | undefined {
  if (name.startsWith('.')) return undefined
  const extension = parse(name).ext.toLowerCase()
  if (extension === '.json') return 'json'
  return extension === '.csv' ? 'csv' : undefined
}

/** Whether a name is that of a file still being written, which is passed over without a word. */
export function isTemporary(name: string): boolean {
  return name.startsWith('.') || /\.(tmp|part)$/i.test(name)
}

/** Name and result name of a delivered file: `try` 1 is its own name, 2 gives `NAME.2.json`, and so on. */
export function deliveredNames(name: string, attempt: number): { order: string; result: string } {
  const { name: stem, ext } = parse(name)
  const numbered = attempt === 1 ? stem : `${stem}.${attempt}`
  return { order: `${numbered}${ext}`, result: `${numbered}.result.json` }
}

/** Reads the number back: which `attempt` of `deliveredNames` a result's name is; undefined for other names. */
export function attemptOfResult(name: string, resultName: string): number | undefined {
  const { name: stem } = parse(name)
  if (!resultName.startsWith(`${stem}.`)) return undefined
  const rest = resultName.slice(stem.length)
  if (rest === '.result.json') return 1
  const number = /^\.([2-9]|[1-9]\d+)\.result\.json$/.exec(rest)?.[1]
  return number === undefined ? undefined : Number(number)
}
