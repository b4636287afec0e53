import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** Where macOS keeps the names that a person gave the computer. */
const macNames = '/Library/Preferences/SystemConfiguration/preferences.plist'

/**
 * The name by which the stations of several computers are told apart. The host name of macOS is often that which the network of the moment
 * gives, so its local host name is taken there, which macOS changes only if another computer on the network has the same.
 */
export function findComputerName(): string {
  if (process.platform !== 'darwin') return hostname()
  try {
    const [, name] = /<key>LocalHostName<\/key>\s*<string>([^<]+)</.exec(readFileSync(macNames, 'utf8')) ?? []
    return name ?? hostname()
  } catch {
    return hostname()
  }
}

/** The computer's name, and the one that earlier versions took for it. */
export function listComputerNames(): string[] {
  return [...new Set([findComputerName(), hostname()])]
}
