import { describe, expect, it } from 'vitest'
import { labelFileName } from '../../../../src/main/printing/drivers/folder'

describe('labelFileName', () => {
  it.each([
    ['ORDER-1', '3STEST1', 'ORDER-1-3STEST1'],
    ['Bestellung Müller #7', '3S', 'Bestellung Müller #7-3S'],
    ['注文 42', '3S', '注文 42-3S'],
    ['', '3S', '3S'],
    ['ORDER', '', 'ORDER'],
    ['', '', 'label'],
    ['../../etc/passwd', '3S', '_.._etc_passwd-3S'],
    ['C:\\Windows\\x', '3S', 'C__Windows_x-3S'],
    ['a<b>c:d"e|f?g*h', '3S', 'a_b_c_d_e_f_g_h-3S'],
    ['line\nbreak\u0000null', '3S', 'line_break_null-3S'],
    ['gpj\u202Efdp', '3S', 'gpj_fdp-3S'],
    ['...', ' . ', 'label'],
    ['-rf', '3S', 'rf-3S'],
    ['ends with dots...', 'x. ', 'ends with dots-x'],
    ['', 'CON', '_CON'],
    ['lpt1', '', '_lpt1'],
    ['COM¹', '', '_COM¹'],
    ['AUX.1', '3S', '_AUX.1-3S'],
    ['nul .2024', '3S', '_nul .2024-3S'],
    ['AUX-1', '3S', 'AUX-1-3S'],
    ['COMET.1', '3S', 'COMET.1-3S'],
    ['e\u0301', '3S', '\u00e9-3S'],
  ])('turns the reference %j and the barcode %j into %j', (reference, barcode, name) => {
    expect(labelFileName(reference, barcode)).toBe(name)
  })

  it('limits a name to 200 bytes and keeps whole characters and the barcode', () => {
    const name = labelFileName('😀'.repeat(200), '3STEST000000001')
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
    expect(name.endsWith('-3STEST000000001')).toBe(true)
    expect(name.replaceAll('😀', '')).toBe('-3STEST000000001')
    expect(Buffer.byteLength(labelFileName('a'.repeat(500), 'b'.repeat(500)))).toBeLessThanOrEqual(200)
  })
})
