/** A promise that the test settles itself. */
export function deferred<T>(): {
  promise: Promise<T>
  resolve: (value: T) => void
  reject: (reason: Error) => void
} {
  let settle: ((value: T) => void) | undefined
  let refuse: ((reason: Error) => void) | undefined
  const promise = new Promise<T>((resolve, reject) => {
    settle = resolve
    refuse = reject
  })
  return { promise, resolve: (value) => settle?.(value), reject: (reason) => refuse?.(reason) }
}
