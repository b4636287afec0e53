import Papa from 'papaparse'
import { readSheet } from 'read-excel-file/node'
import { describe, expect, it } from 'vitest'
import { clipboardTable, makeTrackingTable } from '../../../src/main/tracking/trackingTables'
import type { BulkRow, ColumnNames } from '../../../src/shared/tracking'

const names: ColumnNames = {
  code: 'Code',
  found: 'Found',
  statusCode: 'Status',
  description: 'Description',
  location: 'Place',
  dateTime: 'When',
  events: 'Events',
  reference: 'Shipment',
  yes: 'Yes',
  no: 'No',
}

function row(code: string, description: string): BulkRow {
  const lastStatus = {
    itemNumber: 0,
    code: '99',
    description,
    location: 'Ede',
    dateTime: '2026-11-21 09:00:00',
  }
  const shipment = { id: 'x', reference: 'ORDER-1', trackingLinkHost: null }
  return { code, found: true, lastStatus, eventCount: 3, shipment }
}

const nothing: BulkRow = { code: 'B', found: false, lastStatus: null, eventCount: 0, shipment: null }

async function csvTable(rows: readonly BulkRow[]): Promise<string> {
  return Buffer.from(await makeTrackingTable(rows, names, 'csv')).toString()
}

describe('an exported table of tracking results', () => {
  it('is read back unchanged from CSV', async () => {
    const text = await csvTable([row('A;1', 'Says "hello"\nand more'), nothing])
    expect(text.startsWith('\uFEFF')).toBe(true)
    const { data } = Papa.parse<string[]>(text.slice(1), { delimiter: ';', skipEmptyLines: true })
    expect(data.slice(1)).toEqual([
      ['A;1', 'Yes', '99', 'Says "hello"\nand more', 'Ede', '2026-11-21 09:00:00', '3', 'ORDER-1'],
      ['B', 'No', '', '', '', '', '0', ''],
    ])
  })

  it.each(['=1+1', '+31', '-1', '@x', '\t=1'])(
    'contains %j in CSV as text, not as a formula',
    async (description) => {
      const [, line = ''] = (await csvTable([row('A', description)])).split('\r\n')
      expect(line).not.toMatch(/(^|;)"?[=+\-@\t]/)
    },
  )

  it.each(['Jansen;=1+1', 'Jansen, =1+1', 'Jansen\n=1+1', 'Jansen";"@x', ';=1+1', 'a;-A1,+2*3'])(
    'contains %j in CSV as text also for a program that separates cells at the other character or ends them at line breaks',
    async (description) => {
      const line = (await csvTable([row('A', description)])).slice(1).split('\r\n').slice(1).join('\n')
      for (const cell of line.split(/[;,\n]/)) expect(cell).not.toMatch(/^[\s"]*[=+\-@]/)
    },
  )

  it('keeps leading zeros in XLSX, and drops characters that XML does not allow', async () => {
    const rows = await readSheet(
      Buffer.from(await makeTrackingTable([row('00123', 'odd\u0000\ud800')], names, 'xlsx')),
    )
    expect(rows[1]?.slice(0, 4)).toEqual(['00123', 'Yes', '99', 'odd'])
  })

  it('has one line per row and tabs between cells on the clipboard', () => {
    expect(clipboardTable([row('A', 'one\ttwo\nthree'), nothing], names).split('\r\n')).toEqual([
      'Code\tFound\tStatus\tDescription\tPlace\tWhen\tEvents\tShipment',
      'A\tYes\t99\tone two three\tEde\t2026-11-21 09:00:00\t3\tORDER-1',
      'B\tNo\t\t\t\t\t0\t',
    ])
  })
})
