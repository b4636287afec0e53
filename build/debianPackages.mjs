/** What Electron needs beyond a server's installation, by the names of Debian 12. */
export const electronPackages = [
  'libgtk-3-0',
  'libnss3',
  'libasound2',
  'libgbm1',
  'libdrm2',
  'libcups2',
  'libatspi2.0-0',
  'libxkbcommon0',
]

/** A display without a screen. */
export const displayPackages = ['xvfb']

/** What a private print server needs: the whole of CUPS, since the backend of raw network printers is not in its parts. */
export const printServerPackages = ['cups', 'cups-client']

/** The database that several stations share; the tests run clusters of their own. */
export const databasePackages = ['postgresql']

/** What tests of the app's security use: strace watches the network, gnome-keyring is a keyring under a D-Bus of its own. */
export const securityTestPackages = ['strace', 'dbus', 'gnome-keyring', 'libsecret-1-0']

/** What packages of other systems are made with, and looked into by tests. */
export const packagingPackages = ['rpm', 'nsis', 'p7zip-full']

/**
 * The names under which a package may be known: Debian 13 and Ubuntu 24.04 renamed the libraries whose time_t grew.
 * @param {string} name
 * @returns {string[]}
 */
export function toNames(name) {
  return name.startsWith('lib') ? [`${name}t64`, name] : [name]
}

/**
 * Which packages are not installed under any of their names.
 * @param {readonly string[]} wanted
 * @param {string} list what `dpkg-query --list` printed for all names: the second letter of a line is the state
 * @returns {string[]}
 */
export function listMissing(wanted, list) {
  const installed = new Set([...list.matchAll(/^[a-z]i\s+([^\s:]+)/gm)].map(([, name]) => name))
  return wanted.filter((name) => !toNames(name).some((candidate) => installed.has(candidate)))
}

/**
 * The names to install by: the renamed one where the package lists have it.
 * @param {readonly string[]} missing
 * @param {string} policy what `apt-cache policy` printed for all names
 * @returns {string[]}
 */
export function installableNames(missing, policy) {
  const offered = new Set(
    [...policy.matchAll(/^(\S+):\n(?:[ \t]+.*\n)*?[ \t]+Candidate: (\S+)/gm)].flatMap(
      ([, name, candidate]) => (name && candidate !== '(none)' ? [name] : []),
    ),
  )
  return missing.map((name) => toNames(name).find((candidate) => offered.has(candidate)) ?? name)
}
