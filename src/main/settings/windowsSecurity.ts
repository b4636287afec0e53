import { z } from 'zod'

/** SE_FILE_OBJECT of accctrl.h, OWNER_SECURITY_INFORMATION with DACL_SECURITY_INFORMATION of winnt.h, SDDL_REVISION_1 of sddl.h. */
const fileObject = 1
const ownerAndAccess = 1 | 4
const revision = 1

/**
 * Reads owner and access control list of a file or folder on Windows, for which Node has no API.
 * @param path absolute
 * @returns the security descriptor in SDDL, such as `O:BAD:(A;;FA;;;BA)`; undefined when Windows returns none
 */
export async function readWindowsSecurity(path: string): Promise<string | undefined> {
  const { default: koffi } = await import('koffi')
  const security = koffi.load('advapi32.dll')
  const text = 'const char16_t *'
  const outPointer = koffi.out(koffi.pointer('void *'))
  const getSecurity = security.func('__stdcall', 'GetNamedSecurityInfoW', 'uint32_t', [
    ...[text, 'int32_t', 'uint32_t', 'void *', 'void *', 'void *', 'void *', outPointer],
  ])
  const toText = security.func(
    '__stdcall',
    'ConvertSecurityDescriptorToStringSecurityDescriptorW',
    'int32_t',
    [...['void *', 'uint32_t', 'uint32_t', outPointer, 'void *']],
  )
  const free = koffi.load('kernel32.dll').func('__stdcall', 'LocalFree', 'void *', ['void *'])

  const [descriptor, words]: unknown[][] = [[null], [null]]
  if (getSecurity(path, fileObject, ownerAndAccess, null, null, null, null, descriptor) !== 0)
    return undefined
  try {
    if (toText(descriptor?.[0], revision, ownerAndAccess, words, null) === 0) return undefined
    return z.string().safeParse(koffi.decode(words?.[0], 'char16_t', -1)).data
  } finally {
    free(words?.[0] ?? null)
    free(descriptor?.[0] ?? null)
  }
}

/** Administrators, the system and TrustedInstaller. */
const administrators = new Set([
  ...['BA', 'S-1-5-32-544', 'SY', 'S-1-5-18'],
  'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464',
])
/** SIDs that stand for the current owner. */
const ownerRights = new Set(['OW', 'S-1-3-4'])

const wordsForSid: Readonly<Record<string, string>> = {
  WD: 'everyone',
  AU: 'all authenticated users',
  BU: 'all users',
  IU: 'whoever is logged on at the computer',
}

/** Access rights of winnt.h by their names in SDDL. */
const rightBits: Readonly<Record<string, number>> = {
  ...{ CC: 0x1, DC: 0x2, LC: 0x4, SW: 0x8, RP: 0x10, WP: 0x20, DT: 0x40, LO: 0x80, CR: 0x100 },
  ...{ SD: 0x10000, RC: 0x20000, WD: 0x40000, WO: 0x80000 },
  ...{ GA: 0x10000000, GX: 0x20000000, GW: 0x40000000, GR: 0x80000000 },
  ...{ FA: 0x1f01ff, FR: 0x120089, FW: 0x120116, FX: 0x1200a0 },
}
/** DELETE, WRITE_DAC, WRITE_OWNER, GENERIC_ALL, GENERIC_WRITE and MAXIMUM_ALLOWED. */
const takesOver = 0x10000 | 0x40000 | 0x80000 | 0x10000000 | 0x40000000 | 0x2000000
const changes = {
  /** Also writing its content and attributes. */
  file: takesOver | 0x2 | 0x4 | 0x10 | 0x100,
  /**
   * Also deleting its content. Adding files is allowed: every folder below ProgramData lets users do so unless an administrator revokes it, and
   * they own what they add.
   */
  folder: takesOver | 0x40,
}

/**
 * Finds someone other than administrators who could have changed a file, or replaced a file in a folder.
 * @param words SDDL from `readWindowsSecurity`
 * @returns the finding in English, as a continuation of the path; undefined when only administrators could
 */
export function findForeignAccess(
  words: string | undefined,
  place: keyof typeof changes,
): string | undefined {
  // Windows returns no list when everyone has full access. A descriptor that can't be parsed is not trusted.
  const [, owner, entries] = /^O:(S-[\d-]+|[A-Z]{2})D:[A-Z]*((?:\([^()]*\))*)$/.exec(words ?? '') ?? []
  if (words === undefined) return 'is owned by someone unknown'
  if (owner === undefined || entries === undefined) return `has permissions that can’t be read (${words})`
  if (!administrators.has(owner)) return `is owned by ${wordsForSid[owner] ?? owner}`
  for (const [, entry = ''] of entries.matchAll(/\(([^()]*)\)/g)) {
    const [type = '', flags = '', rights = '', , , sid = ''] = entry.split(';')
    const isDenial = ['D', 'OD', 'XD'].includes(type)
    // Inherit-only: applies to the folder's children and is checked on them.
    const isForOthersOnly = /^(?:..)*IO/.test(flags)
    if (isDenial || isForOthersOnly || administrators.has(sid) || ownerRights.has(sid)) continue
    if ((toBits(rights) & changes[place]) !== 0) return `can be changed by ${wordsForSid[sid] ?? sid}`
  }
  return undefined
}

/** @returns all rights for an unknown name */
function toBits(rights: string): number {
  if (/^0x[\da-f]{1,8}$/i.test(rights)) return Number.parseInt(rights, 16)
  if (!/^(?:[A-Z]{2})*$/.test(rights)) return -1
  const names = rights.match(/../g) ?? []
  return names.reduce((bits, name) => bits | (rightBits[name] ?? -1), 0)
}
