import { PDFDocument } from 'pdf-lib'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { makeReportFile } from '../../../src/main/shipments/reportFile'
import { readTable } from '../../../src/main/tables/readTable'
import type { ShippingReport } from '../../../src/shared/history'

const figures = { shipments: 2, packages: 3, weight: 1.5 }
const report: ShippingReport = {
  from: '2026-11-16',
  to: '2026-11-22',
  total: figures,
  days: [{ name: '2026-11-16', ...figures }],
  hours: [{ name: '08', ...figures }],
  carrierOptions: [{ name: '34', ...figures }],
  countries: [{ name: 'DE', ...figures }],
  stations: [],
  operators: [
    { name: '', ...figures },
    { name: '=1+1', shipments: 0, packages: 0, weight: 0 },
  ],
}
const content = { report, carrierOptions: { '34': '=cmd|calc' }, language: 'nl' as const }

it('makeReportFile writes the same rows to CSV and XLSX, with numbers in the language’s format and no formulas', async () => {
  const csv = Buffer.from(await makeReportFile(content, 'csv')).toString()
  expect(csv).toContain("Per vervoerdersoptie;'=cmd|calc;2;3;1,5")
  expect(csv).toContain("Per medewerker;'=1+1;0;0;0")
  const limits = { maxMegabytes: 1, maxUnpackedMegabytes: 10, hasHeader: true }
  const rows = await Promise.all(
    (['csv', 'xlsx'] as const).map(async (format) => {
      const table = await readTable(Buffer.from(await makeReportFile(content, format)), limits)
      return table.ok ? table.value.rows : table.error
    }),
  )
  const [fromCsv, fromWorkbook] = rows.map((read) => z.array(z.array(z.string())).parse(read))
  expect(fromCsv?.map((row) => row.map((cell) => (cell === '1,5' ? '1.5' : cell)))).toEqual(fromWorkbook)
  expect(fromCsv).toContainEqual(['Per land', 'Duitsland (DE)', '2', '3', '1,5'])
  expect(fromWorkbook).toContainEqual(['Per medewerker', 'Niemand aangemeld', '2', '3', '1.5'])
  const english = Buffer.from(await makeReportFile({ ...content, language: 'en' }, 'csv')).toString()
  expect(english).toContain(";'=cmd|calc;2;3;1.5")
})

it('makeReportFile names the country of shipments without one and of Northern Ireland as the screen does', async () => {
  const countries = ['', 'XI', 'not a code'].map((name) => ({ name, ...figures }))
  const csv = Buffer.from(
    await makeReportFile({ ...content, report: { ...report, countries } }, 'csv'),
  ).toString()
  expect(csv).toContain('Per land;—;2;3;1,5')
  expect(csv).toContain('Per land;Noord-Ierland (XI);2;3;1,5')
  expect(csv).toContain('Per land;not a code (not a code);2;3;1,5')
})

it('makeReportFile writes a long report as a PDF of several pages', async () => {
  const many = Array.from({ length: 90 }, (_, index) => ({ name: `Łukasz Ωmega ${index}`, ...figures }))
  const pdf = await PDFDocument.load(
    await makeReportFile({ ...content, report: { ...report, operators: many } }, 'pdf'),
  )
  expect(pdf.getPageCount()).toBeGreaterThan(1)
  expect(pdf.getTitle()).toBe('Verzendrapport 2026-11-16 – 2026-11-22')
})
