import { onTestFinished } from 'vitest'

/** Runs some work, reports that the crash point is reached, and never continues. */
export type Stop = <Value>(work?: () => Promise<Value>) => () => Promise<Value>

/** Stops at the next call of a method, before or after its work. */
export function armMethod<Owner extends object, Name extends keyof Owner & string>(
  owner: Owner,
  name: Name,
  side: 'before' | 'after',
  stop: Stop,
): void {
  const original: unknown = owner[name]
  if (typeof original !== 'function') throw new Error(`${name} is no method`)
  const replaced = function (this: unknown, ...args: unknown[]) {
    Reflect.set(owner, name, original)
    const work = () => Promise.resolve(Reflect.apply(original, this, args))
    return side === 'before' ? stop()() : stop(work)()
  }
  Reflect.set(owner, name, replaced)
  onTestFinished(() => {
    Reflect.set(owner, name, original)
  })
}
