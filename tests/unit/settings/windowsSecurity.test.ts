import { describe, expect, it } from 'vitest'
import { findForeignAccess } from '../../../src/main/settings/windowsSecurity'

const someone = 'S-1-5-21-1-2-3-1001'

describe('findForeignAccess on Windows', () => {
  it.each([
    'O:BAD:',
    'O:SYD:P(A;;FA;;;SY)(A;;FA;;;BA)',
    'O:S-1-5-32-544D:(A;;GA;;;S-1-5-18)',
    `O:S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464D:(A;;FRFX;;;WD)`,
    `O:BAD:(A;;FR;;;${someone})(A;;0x1200a9;;;BU)(A;;FA;;;OW)`,
    `O:BAD:(D;;FA;;;${someone})(A;OICIIO;GA;;;${someone})`,
  ])('finds no access by others than administrators in %s', (words) => {
    expect(findForeignAccess(words, 'file')).toBeUndefined()
    expect(findForeignAccess(words, 'folder')).toBeUndefined()
  })

  it.each([
    ...[
      'FA',
      'GA',
      'GW',
      'SD',
      'WD',
      'WO',
      'FRSD',
      '0x1301bf',
      '0x1f01ff',
      '0x10000',
      '0x40000',
      '0x2000000',
    ],
    ...['KA', 'fa', '0x', '65536'],
  ])('finds write access by a user with the right %s', (rights) => {
    const words = `O:BAD:PAI(A;;FA;;;BA)(A;OICI;${rights};;;${someone})`
    expect(findForeignAccess(words, 'file')).toBe(`can be changed by ${someone}`)
    expect(findForeignAccess(words, 'folder')).toBe(`can be changed by ${someone}`)
  })

  it('allows others to add files to a folder, but neither to delete in it nor to write a file', () => {
    for (const rights of ['FW', 'DC', 'LC', '0x2', '0x4', 'CR']) {
      expect(findForeignAccess(`O:BAD:(A;;${rights};;;BU)`, 'file')).toBe('can be changed by all users')
    }
    expect(findForeignAccess('O:BAD:(A;CI;DCLCRPCR;;;BU)', 'folder')).toBeUndefined()
    expect(findForeignAccess('O:BAD:(A;CI;DT;;;WD)', 'folder')).toBe('can be changed by everyone')
  })

  it.each([
    [undefined, 'someone unknown'],
    [`O:${someone}D:(A;;FA;;;BA)`, someone],
    ['O:BUD:(A;;FA;;;BA)', 'all users'],
    // Without an access list, everyone has all rights.
    ['O:BAD:NO_ACCESS_CONTROL', 'can’t be read'],
    ['O:BA', 'can’t be read'],
    ['O:BAD:(XA;;FA;;;WD;(@User.Title=="PM"))', 'can’t be read'],
    ['O:BAD:(XA;;FA;;;WD;x)', 'everyone'],
    ['', 'can’t be read'],
  ])('does not trust %s, and gives the reason «%s»', (words, reason) => {
    expect(findForeignAccess(words, 'file')).toContain(reason)
  })
})
