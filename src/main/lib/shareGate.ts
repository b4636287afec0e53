import { readFileSync } from 'node:fs'
import { posix, win32 } from 'node:path'

/**
 * File operations of all shares that are under way at once, and those of one. Each takes one of the four threads that do all
 * file operations of the process, for as long as its share does not answer: without a limit, nothing could be stored any more.
 */
const maxOfAll = 3
const maxOfOne = 2

/**
 * Runs work on a path of a network share when few others are under way; work on a local path at once. The work must do one file
 * operation at a time, and must not wait for other work on the share.
 */
export type ShareGate = <Value>(path: string, work: () => Promise<Value>) => Promise<Value>

/** @param find the share of a path; undefined for a local one */
export function createShareGate(find: (path: string) => string | undefined): ShareGate {
  const underWay: string[] = []
  let waiting: { share: string; begin: () => void }[] = []

  const mayBegin = (share: string) =>
    underWay.length < maxOfAll && underWay.filter((each) => each === share).length < maxOfOne

  function beginWaiting(): void {
    for (const next of waiting) {
      if (!mayBegin(next.share)) continue
      waiting = waiting.filter((each) => each !== next)
      underWay.push(next.share)
      next.begin()
    }
  }

  return async (path, work) => {
    const share = find(path)
    if (share === undefined) return work()
    await new Promise<void>((begin) => {
      waiting.push({ share, begin })
      beginWaiting()
    })
    try {
      return await work()
    } finally {
      underWay.splice(underWay.indexOf(share), 1)
      beginWaiting()
    }
  }
}

/** The gate of this process. */
export const whenShareIsFree = createShareGate((path) =>
  findShare(path, { platform: process.platform, systemDrive: process.env.SystemDrive, readMounts }),
)

interface System {
  platform: NodeJS.Platform
  /** On Windows, such as `C:`. */
  systemDrive: string | undefined
  /** On Linux, the text of `mountinfo`. */
  readMounts(): string
}

/**
 * The server of a path's share, or its drive or mount point; undefined for a local path. Asks no file system, which might not
 * answer: a path that leads to a share by a link counts as local.
 * @param path absolute
 */
export function findShare(path: string, { platform, systemDrive, readMounts }: System): string | undefined {
  if (platform === 'win32') return findOnWindows(path, systemDrive)
  if (platform === 'darwin') return /^\/(?:Volumes|Network|net)\/[^/]+/.exec(posix.normalize(path))?.[0]
  return findOnLinux(posix.normalize(path), readMounts())
}

function findOnWindows(path: string, systemDrive = 'C:'): string | undefined {
  const normal = win32.normalize(path)
  const server = /^\\\\(?:\?\\UNC\\)?([^\\?.]+)\\/i.exec(normal)?.[1]
  if (server !== undefined) return server.toLowerCase()
  // A letter may be that of a share; asking Windows for it may take as long as the share.
  const drive = /^(?:\\\\\?\\)?([a-z]:)/i.exec(normal)?.[1]?.toUpperCase()
  return drive === systemDrive.toUpperCase() ? undefined : drive
}

const networkTypes =
  /^(?:nfs\d?|cifs|smb\w*|fuse(?:\..+)?|9p|afs|autofs|ceph|davfs\d?|glusterfs|ncpfs|lustre)$/

function findOnLinux(path: string, mounts: string): string | undefined {
  let found: { point: string; share: string | undefined } | undefined
  for (const line of mounts.split('\n')) {
    const [before = '', after = ''] = line.split(' - ')
    const point = unescapeMount(before.split(' ')[4] ?? '')
    const [type = '', source = ''] = after.split(' ')
    const holds = path === point || path.startsWith(point.endsWith('/') ? point : `${point}/`)
    // Of two at one place the later one hides the earlier one.
    if (point === '' || !holds || point.length < (found?.point.length ?? 0)) continue
    found = { point, share: networkTypes.test(type) ? (findServer(source) ?? point) : undefined }
  }
  return found?.share
}

/** The server in a source such as `//nas/orders` or `nas:/orders`. */
function findServer(source: string): string | undefined {
  return /^(?:\/\/([^/]+)\/|([^/]+):\/)/
    .exec(source)
    ?.slice(1)
    .find((each) => each !== undefined)
}

function unescapeMount(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
}

/** Without it all paths count as local. */
function readMounts(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return ''
  }
}
