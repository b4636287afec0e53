import { describe, expect, it } from 'vitest'
import { checkZplCommands, reconfiguringCommands, withConsent } from '../../../src/main/printing/zplGuard'
import { type Printer, printerSchema } from '../../../src/shared/printing'

const zebra: Printer = printerSchema.parse({ id: 'zebra', driver: 'socket', host: 'h' })
const folder: Printer = printerSchema.parse({ id: 'f', driver: 'folder', path: 'out' })
const labelOf = (zpl: string) => ({ kind: 'zpl' as const, carrierOptionId: 34, bytes: Buffer.from(zpl) })

describe('ZPL that would reconfigure the printer', () => {
  it.each([
    ['^XA^JUS^XZ', ['^JU']],
    ['~JR', ['~JR']],
    ['^XA^MMT^PW800^FO10,10^FDx^FS^XZ', ['^MM']],
    ['^XA^mmt^jus^JUF^XZ', ['^MM', '^JU']],
    [
      '^XA^CI28^PW800^LL1200^LH0,0^PON^FO1,1^A0N,30,30^FDMMT and JUS^FS^BY2^BCN,80^FD12345^FS^PQ1~SD10^XZ',
      [],
    ],
  ])('%s holds %o', (zpl, commands) => {
    expect(reconfiguringCommands(Buffer.from(zpl))).toEqual(commands)
  })

  it('is asked about once for a carrier option, and not for files', () => {
    const label = labelOf('^XA^MMT^XZ')
    expect(checkZplCommands(label, zebra, [])).toMatchObject({
      error: { code: 'zpl-needs-consent', details: { commands: '^MM', printer: 'zebra' } },
    })
    expect(checkZplCommands(label, folder, []).ok).toBe(true)
    const consents = withConsent([], 34, ['^MM'])
    expect(checkZplCommands(label, zebra, consents).ok).toBe(true)
    expect(checkZplCommands({ ...label, carrierOptionId: 35 }, zebra, consents).ok).toBe(false)
    expect(checkZplCommands(labelOf('^XA^MMT^JUS^XZ'), zebra, consents).ok).toBe(false)
    expect(withConsent(consents, 34, ['^JU', '^MM'])).toEqual([
      { carrierOptionId: 34, commands: ['^MM', '^JU'] },
    ])
  })
})
