import { describe, expect, it } from 'vitest'
import { checkZplCommands, withZplConsent } from '../../../src/main/printing/queue/labelConsents'
import { commandsBeyondTheLabel } from '../../../src/main/printing/raster/carrierZpl'
import { type Printer, printerSchema } from '../../../src/shared/printing'

const zebra: Printer = printerSchema.parse({ id: 'zebra', driver: 'socket', host: 'h' })
const other: Printer = printerSchema.parse({ id: 'other', driver: 'socket', host: 'h2' })
const folder: Printer = printerSchema.parse({ id: 'f', driver: 'folder', path: 'out' })
const getLabel = (zpl: string) => ({ kind: 'zpl' as const, carrierOptionId: 34, bytes: Buffer.from(zpl) })
/** The commands that are found for a printer whose settings state darkness and speed. */
const found = (zpl: string) => commandsBeyondTheLabel(Buffer.from(zpl, 'latin1'), { darkness: 10, speed: 4 })

/** Commands that an earlier list of forbidden commands did not contain. */
const dangerous = [
  ...'~JA ~JB ~JH ~JI ~JO ~JP ~JQ ~JR ~JS ~JX ~JC ~JD ~JE ~JF ~JG ~JL ~JN ~KB ~NC ~NR ~PH ~PL ~PP ~PR ~PS ~RO ~TA'.split(
    ' ',
  ),
  ...'~WC ~WQ ~WR ~EG ~DB ~DE ~DN ~DS ~DT ~DU ~CC ~CD ~CT ~HB ~HD ~HI ~HM ~HQ ~HS ~HU'.split(' '),
  ...'^JB ^JH ^JI ^JJ ^JS ^JT ^JU ^JW ^JZ ^KD ^KL ^KN ^KP ^KV ^MA ^MF ^MI ^ML ^MM ^MN ^MP ^MT ^MW ^ND ^NI ^NN'.split(
    ' ',
  ),
  ...'^NP ^NS ^NT ^NW ^PF ^PH ^PN ^PP ^PS ^RO ^SC ^SE ^SI ^SL ^SO ^SP ^SQ ^SR ^SS ^ST ^SX ^SZ ^TO ^WD ^WF ^XS ^ZZ'.split(
    ' ',
  ),
  ...'^CC ^CD ^CM ^CN ^CO ^CP ^CT ^EF ^EG ^FL ^HF ^HG ^HH ^HL ^HT ^HV ^HW ^HY ^HZ ^ID ^IS ^LF ^WE ^WS ^WX ^RF'.split(
    ' ',
  ),
]

describe('the check of ZPL for commands beyond its label', () => {
  it.each([
    ['^XA^JUS^XZ', ['^JU']],
    ['~JR', ['~JR']],
    ['^XA^MMT^PW800^FO10,10^FDx^FS^XZ', ['^MM']],
    ['^XA^mmt^jus^JUF^XZ', ['^MM', '^JU']],
    [
      '^XA^CI28^PW800^LL1200^LH0,0^PON^FO1,1^A0N,30,30^FDMMT and JUS^FS^BY2^BCN,80^FD12345^FS^PQ1~SD10^XZ',
      [],
    ],
    ['~DGR:LOGO.GRF,8,1,FF00FF00FF00FF00^XA^FO1,1^XGR:LOGO.GRF^FS^AAN,9^A@N,20,20,E:X.TTF^XZ', []],
    ['~DYE:LOGO.GRF,A,G,8,1,FF^XA^DFE:FORM.ZPL^FS^XZ~DGLOGO,8,1,FF', ['~DYE:', '^DFE:']],
    [
      '^XA~DY\0E:A.PNG,A,P,4,0,31323334~DG\r\n\t E\r\n:A.GRF,8,1,FF^DF\r\n\r\n\r\n\r\n\r\nE:A.ZPL^FS^XZ',
      ['~DYE:', '~DGE:', '^DFE:'],
    ],
    ['~DG\u0001E:A.GRF,8,1,FF^XA^DFR\r\n:A.ZPL^FS^DFA.ZPL^FS^XZ', ['~DG?:', '?E:A.GRF,8,1,FF']],
    ['! U1 setvar "device.languages" "epl"\r\n^XA^XZ', ['! U1 setvar']],
    ['! U1  do "device.reset" ""\r\n', ['! U1 do']],
    ['{}{"device.reset":""}', ['{}']],
    ['^XA^FDhidden ~JA in a field^FS^FXand ^JUS in a comment^XZ', ['~JA', '^JU']],
    ['^XA^CC+^FO1,1+JUS+XZ', ['^CC', '^JU']],
    ['\u001eXA\u001eJUS\u001eXZ \u0010JR', ['^JU', '~JR']],
    ['^XA^J\r\nUS^XZ', ['^JU']],
    ['^XA^FO1,1^FDA ^ and ~ alone ^^^FS^XZ', []],
    ['^XA^FDOrder {1} costs 5! Up next^FS^XZ', []],
  ])('finds in %s the commands %o', (zpl, commands) => {
    expect(found(zpl)).toEqual(commands)
  })

  it.each(dangerous)('finds the command %s', (command) => {
    expect(found(`^XA^FO1,1^FDx^FS${command}1^XZ`)).toContain(command)
  })

  it.each([
    ['! UTILITIES\r\nSPEED 1\r\nPRINT\r\n^XA^XZ', ['! UTILITIES', 'SPEED', 'PRINT']],
    ['! CISDFCRC16\r\n0000\r\nCONFIG.SYS\r\n', ['! CISDFCRC16', '0000', 'CONFIG.SYS']],
    ['! U1 SPEED 5\r\n^XA^XZ', ['! U1 SPEED']],
    ['\nOD\n^XA^XZ', ['OD']],
    ['^XA^XZ\nOD\n^XA^XZ', ['OD']],
    ['^XA^XZ OD', ['OD']],
    ['\nFK"*"\nFK"*"\n^XA^XZ', ['FK"*"']],
    ['\u001b!R\r\n^XA^XZ', ['?!R']],
    ['~SD10\nOD\n^XA^XZ', ['OD']],
    ['~SD10 OD\n^XA^XZ', ['OD']],
    ['~SD10\u001b!R\n^XA^XZ', ['?!R']],
    ['~DGR:A.GRF,8,1,FF00FF00FF00FF00\n! U1 SPEED 5\nFK"*"\n^XA^XZ', ['! U1 SPEED', 'FK"*"']],
    ['~DYR:A.GRF,B,G,4,1,^JUS\nOD\n^XA^XZ', ['OD']],
    ['^FX\nOD\n^XA^XZ', ['OD']],
    [
      `${Array.from({ length: 21 }, (_, line) => `W${line}`).join('\n')}^XA^XZ`,
      expect.arrayContaining(['…']),
    ],
  ])('finds words of another language outside of labels: %j', (zpl, words) => {
    expect(found(zpl)).toEqual(words)
  })

  it.each([
    '\u0002^XA^FO1,1^FDx^FS^XZ\u0003\r\n\t\0\n^XA^XZ \r\n',
    '\u00ef\u00bb\u00bf^XA^FO1,1^FDx^FS^XZ',
    '^FX Labels of today: two!\r\n^XA\r\nOD\r\n^FDSPEED 5^FS\r\n^XZ',
    '~SD 10\r\n^LH0, 0^PR5\r\n^XA^XZ^XZ\r\n',
    '~DGR:A.GRF,00008,001,\r\nFF00\r\nKFg0,!:\r\n^XA^XGR:A.GRF,1,1^FS^XZ',
    '~DGR:A.GRF, 8, 1, :Z64:eJz7/x8ABf8C/g==:1A2B\n^XA^XZ',
    '~DYR:A.GRF,B,G,4,1,^J\nO\r\n^XA^XZ',
  ])('accepts labels, downloads, comments and white space: %j', (zpl) => {
    expect(found(zpl)).toEqual([])
  })

  it('accepts any bytes inside a binary picture, but no command behind its end', () => {
    expect(found('^XA^FO1,1^GFB,8,8,1,^JUS~JR.^FS^XZ')).toEqual([])
    expect(found('^XA^GFB,4,4,1,~JR.^JUS^XZ')).toEqual(['^JU'])
    // The stated length exceeds the data, so that the data does not count as a picture.
    expect(found('^XA^GFB,9999,9999,1,^JUS^XZ')).toEqual(['^JU'])
  })

  it('needs one consent for each carrier option, printer and command, and none for a folder', () => {
    const label = getLabel('^XA^MMT^XZ')
    expect(checkZplCommands(label, zebra, [])).toMatchObject({
      error: { code: 'zpl-needs-consent', details: { commands: '^MM', printer: 'zebra' } },
    })
    expect(checkZplCommands(label, folder, []).ok).toBe(true)
    const key = { carrierOptionId: 34, printerId: 'zebra' }
    const consents = withZplConsent([], key, ['^MM'])
    expect(checkZplCommands(label, zebra, consents).ok).toBe(true)
    expect(checkZplCommands(label, other, consents).ok).toBe(false)
    expect(checkZplCommands({ ...label, carrierOptionId: 35 }, zebra, consents).ok).toBe(false)
    expect(checkZplCommands(getLabel('^XA^MMT^JUS^XZ'), zebra, consents).ok).toBe(false)
    expect(withZplConsent(consents, key, ['^JU', '^MM'])).toEqual([{ ...key, commands: ['^MM', '^JU'] }])
  })

  it('needs no consent for printers of another language, which receive no ZPL', () => {
    const label = getLabel('^XA^MMT^XZ')
    const stock = { widthMm: 100, heightMm: 150 }
    for (const connection of [
      { driver: 'system', queue: 'TSC', stock },
      { driver: 'socket', host: 'localhost' },
    ]) {
      for (const language of ['tspl', 'epl2']) {
        const printer = printerSchema.parse({ id: 'tsc', ...connection, language })
        expect(checkZplCommands(label, printer, [])).toEqual({ ok: true, value: undefined })
      }
    }
  })

  it.each([
    ['~SD30^XA^FO1,1^FDx^FS^XZ', '~SD', { darkness: 12 }],
    ['^XA^PR14^FO1,1^FDx^FS^XZ', '^PR', { speed: 4 }],
  ])(
    'needs consent for %s because %s stays in effect, unless the settings state a value to restore',
    (zpl, commands, stated) => {
      expect(checkZplCommands(getLabel(zpl), zebra, [])).toMatchObject({
        error: { code: 'zpl-needs-consent', details: { commands } },
      })
      const set = printerSchema.parse({ ...zebra, ...stated })
      expect(checkZplCommands(getLabel(zpl), set, []).ok).toBe(true)
    },
  )

  it.each([
    ['^XA^CWA,E:ARIAL.TTF^FO1,1^AAN,30^FDx^FS^XZ', ['^CWA']],
    ['^XA^CW0,E:ARIAL.TTF^XZ', ['^CW0']],
    ['^XA^CWp,R:X.FNT^XZ', ['^CWP']],
    ['^XA^CW\0A,E:X.FNT^XZ', ['^CWA']],
    ['^XA^CW\r\n\r\n\r\n\r\n\r\nA,E:X.FNT^XZ', ['^CWA']],
    ['^XA^CWZ,E:ARIAL.TTF^FO1,1^AZN,30^FDx^FS^XZ', []],
    ['^XA^PA1,1,1,1^FO1,1^FDx^FS^XZ', ['^PA']],
  ])('finds in %s the changes to fonts and text settings of the printer: %j', (zpl, commands) => {
    expect(found(zpl)).toEqual(commands)
  })

  it('accepts an older consent that applies to all printers', () => {
    const label = getLabel('^XA^MMT^XZ')
    expect(checkZplCommands(label, other, [{ carrierOptionId: 34, commands: ['^MM'] }]).ok).toBe(true)
  })
})
