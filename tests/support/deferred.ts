/** A promise that the test resolves or rejects. */
export function deferred<T>(): {
  promise: Promise<T>
  resolve: (value: T) => void
  reject: (reason: Error) => void
} {
  let fulfil: ((value: T) => void) | undefined
  let refuse: ((reason: Error) => void) | undefined
  const promise = new Promise<T>((resolve, reject) => {
    fulfil = resolve
    refuse = reject
  })
  return { promise, resolve: (value) => fulfil?.(value), reject: (reason) => refuse?.(reason) }
}
