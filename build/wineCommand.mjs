import { run } from './processes.mjs'

/**
 * Runs a program in a root folder that `wineRoot.mjs` created, without this process' environment. Wine needs /proc, which is mounted for this program only.
 * @param {string} root absolute path
 * @param {readonly string[]} command
 * @param {{ env?: Readonly<Record<string, string>>, limitMs?: number }} [options]
 * @returns {ReturnType<typeof run>}
 */
export function runUnderWine(root, command, { env = {}, limitMs } = {}) {
  const variables = {
    HOME: '/root',
    PATH: '/usr/bin:/bin',
    WINEPREFIX: '/root/wine',
    WINEDEBUG: '-all',
    // Disables .NET and HTML, which need a display.
    WINEDLLOVERRIDES: 'mscoree,mshtml=',
    ...env,
  }
  // Wine's helper processes outlive a program by seconds and keep its output open, so the output goes to a file. The PID namespace ends them with the program.
  const script = [
    'mount -t proc proc "$0/proc" || exit 1',
    'chroot "$0" env -i "$@" </dev/null >"$0/tmp/output" 2>&1',
    'code=$?',
    'chroot "$0" env -i HOME=/root WINEPREFIX=/root/wine /usr/lib/wine/wineserver -k -w',
    'exit $code',
  ].join('\n')
  const assigned = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  return run(
    'unshare',
    ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, root, ...assigned, ...command],
    {
      ...(limitMs !== undefined && { limitMs }),
    },
  )
}
