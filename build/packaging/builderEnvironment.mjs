/**
 * The environment for electron-builder. It takes an empty `CSC_LINK`, which a workflow passes for a secret that is not set, as the path of
 * a certificate.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv} without the variables for signing and notarising that are empty
 */
export function builderEnvironment(env) {
  const isUnset = (/** @type {[string, string | undefined]} */ [name, value]) =>
    value === '' && /^(?:CSC|APPLE)_/.test(name)
  return Object.fromEntries(Object.entries(env).filter((each) => !isUnset(each)))
}
