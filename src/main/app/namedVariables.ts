/**
 * The environment variables that a provisioning file takes credentials from. They are secrets: whoever asks for them
 * takes them out of the environment, which windows and child processes inherit.
 * @param text the file's
 */
export function namedVariables(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const names = text.matchAll(/"(?:userEnv|passwordEnv|pinEnv)"\s*:\s*"([^"]+)"/g)
  const found = [...names].flatMap(([, name = '']) => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(found)
}
