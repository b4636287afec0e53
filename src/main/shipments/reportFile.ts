import { locales } from '../../locales'
import { createCountryNamer } from '../../locales/countryNames'
import type { Language } from '../../shared/fields'
import type { ReportFigures, ReportFormat, ShippingReport } from '../../shared/history'
import { fillSentence } from '../../shared/sentences'
import { margin, PdfWriter, pageWidth } from '../lib/pdfWriter'
import { writeTable } from '../tables/writeTable'

export interface ReportContent {
  report: ShippingReport
  /** Names of the carrier options, by carrier option id. */
  carrierOptions: Record<string, string>
  language: Language
}

/** A section of the report: its heading, and its groups with their display names. */
interface Section {
  title: string
  groups: (ReportFigures & { name: string })[]
}

/** Writes a report as a file. It contains figures and names of operators, but no data of consignees. */
export async function makeReportFile(content: ReportContent, format: ReportFormat): Promise<Uint8Array> {
  return format === 'pdf'
    ? makePdf(content)
    : writeTable(
        toRows(content, format === 'csv' ? toDecimals(content.language) : (weight) => weight),
        format,
        { sheet: 'Report', widths },
        ';',
      )
}

/** Formats numbers for a spreadsheet in the language: a Dutch one reads 1.5 as the first of May. */
function toDecimals(language: Language): (value: number) => string {
  const format = new Intl.NumberFormat(language, { useGrouping: false, maximumFractionDigits: 6 })
  return (value) => format.format(value)
}

const widths = [24, 30, 14, 14, 14]

function toSections({ report, carrierOptions, language }: ReportContent): Section[] {
  const words = locales[language].historyReport
  const countryName = createCountryNamer(language)
  const nameCountry = (code: string) =>
    code === '' ? locales[language].common.none : `${countryName(code)} (${code})`
  const named = (groups: Section['groups'], toName: (name: string) => string) =>
    groups.map((group) => ({ ...group, name: toName(group.name) }))
  return [
    { title: words.byDay, groups: report.days },
    { title: words.byHour, groups: named(report.hours, (hour) => `${hour}:00`) },
    { title: words.byCarrierOption, groups: named(report.carrierOptions, (id) => carrierOptions[id] ?? id) },
    { title: words.byCountry, groups: named(report.countries, nameCountry) },
    { title: words.byOperator, groups: named(report.operators, (name) => name || words.none) },
    { title: words.byStation, groups: report.stations },
  ]
}

function toRows(
  content: ReportContent,
  toWeight: (weight: number) => string | number,
): (string | number)[][] {
  const { total, from, to } = content.report
  const words = locales[content.language].historyReport
  const figures = ({ shipments, packages, weight }: ReportFigures) => [shipments, packages, toWeight(weight)]
  return [
    [words.group, words.name, words.shipments, words.packages, words.weight],
    [words.total, from === to ? from : `${from} – ${to}`, ...figures(total)],
    ...toSections(content).flatMap(({ title, groups }) =>
      groups.map((group) => [title, group.name, ...figures(group)]),
    ),
  ]
}

const right = pageWidth - margin
/** Right edges of the number columns. */
const ends = { shipments: right - 160, packages: right - 80, weight: right }
const lineHeight = 14

async function makePdf(content: ReportContent): Promise<Uint8Array> {
  const { total, from, to } = content.report
  const words = locales[content.language].historyReport
  const period = from === to ? from : `${from} – ${to}`
  const toWeight = toDecimals(content.language)
  const paper = await PdfWriter.make(`${words.title} ${period}`)
  paper.text(margin, words.title, { size: 20, bold: true })
  paper.y += 28
  paper.text(margin, period, { soft: true })
  paper.y += 24
  writeSection(paper, { title: words.total, groups: [{ ...total, name: period }] }, words, toWeight)
  for (const section of toSections(content)) {
    const used = section.groups.filter(({ shipments }) => shipments > 0)
    if (used.length > 0) writeSection(paper, { ...section, groups: used }, words, toWeight)
  }
  return paper.finish(
    (page, pages) =>
      `${words.title} ${period} · ${fillSentence(words.page, { page: String(page), pages: String(pages) })}`,
  )
}

function writeSection(
  paper: PdfWriter,
  { title, groups }: Section,
  words: Record<'shipments' | 'packages' | 'weight', string>,
  toWeight: (weight: number) => string,
): void {
  const writeHeader = () => {
    paper.text(margin, title, { bold: true, size: 11 })
    paper.text(ends.shipments, words.shipments, { soft: true, right: true })
    paper.text(ends.packages, words.packages, { soft: true, right: true })
    paper.text(ends.weight, words.weight, { soft: true, right: true })
    paper.y += 16
    paper.rule()
    paper.y += 5
  }
  if (!paper.hasRoom(lineHeight * 3)) paper.nextPage()
  writeHeader()
  for (const { name, shipments, packages, weight } of groups) {
    const [line = '', ...more] = paper.wrap(name, ends.shipments - margin - 70)
    if (!paper.hasRoom(lineHeight * (1 + more.length))) {
      paper.nextPage()
      writeHeader()
    }
    paper.text(margin, line)
    paper.text(ends.shipments, String(shipments), { right: true })
    paper.text(ends.packages, String(packages), { right: true })
    paper.text(ends.weight, toWeight(weight), { right: true })
    paper.y += lineHeight
    for (const part of more) {
      paper.text(margin, part)
      paper.y += lineHeight
    }
  }
  paper.y += 14
}
