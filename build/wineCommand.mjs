import { run } from './processes.mjs'

/**
 * Runs a program in a root that `wineRoot.mjs` made, with nothing of this process' environment. Wine needs /proc, which is mounted for this program alone.
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
    // Without a display nothing of .NET and HTML is wanted.
    WINEDLLOVERRIDES: 'mscoree,mshtml=',
    ...env,
  }
  // Its helpers outlive a program by seconds and hold its output open, which therefore goes to a file. A space of processes of its own ends them with it.
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
