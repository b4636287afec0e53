/** A promise that is fulfilled from outside. */
export function deferred<Value = void>() {
  let resolve: (value: Value) => void = () => undefined
  const promise = new Promise<Value>((onFulfilled) => {
    resolve = onFulfilled
  })
  return { promise, resolve }
}
