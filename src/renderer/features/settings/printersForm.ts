import { z } from 'zod'
import { type SizeMm, sizeMmSchema } from '../../../shared/labels'
import {
  isDevicePath,
  type LabelSheet,
  type Printer,
  type RoutingRule,
  routingRuleSchema,
  settablePrinterSchema,
} from '../../../shared/printing'
import { faultsByPath } from '../../ui/faults'
import { readNumber } from '../../ui/fieldValues'
import { withoutForgotten } from './rememberedForm'
import { customStock, presetOf, type StockPreset, sizeOfPreset } from './stockPresets'
import type { TabFaults, TabForm } from './tabStore'

/** One printer as typed; fields that its driver lacks are simply not used. */
export interface PrinterRow {
  driver: Printer['driver']
  id: string
  name: string
  path: string
  queue: string
  /** The queue's own name of the stock; empty when it is found by the size. */
  paper: string
  host: string
  port: string
  dpi: string
  language: string
  stock: StockPreset
  widthMm: string
  heightMm: string
  rotate: string
  copies: string
  /** Several pages are copied as 1, 2, 1, 2. */
  collate: boolean
  /** Empty when labels do not lie on sheets. */
  sheetColumns: string
  sheetRows: string
  sheetWidth: string
  sheetHeight: string
  sheetMarginX: string
  sheetMarginY: string
  sheetGapX: string
  sheetGapY: string
  stockTracking: string
  printMode: string
  darkness: string
  darknessChange: string
  speed: string
  greys: string
  offsetX: string
  offsetY: string
}

/** A rule for one carrier option, or for pages of some size, as typed. */
export interface RouteRow {
  key: string
  /** Empty for every carrier option. */
  carrierOptionId: string
  /** Empty for all pages, `larger-than-stock`, or a size such as `210x297`. */
  pages: string
  printer: string
  standby: string
}

export interface PrintersValues {
  printers: PrinterRow[]
  routes: RouteRow[]
  /** The rule for everything else; empty for the first printer in the list. */
  usual: string
  usualStandby: string
  /** Keys of remembered rules and consents that are to be asked for again. */
  forgotten: string[]
}

/** A new printer's form, with an id that no other printer has. */
export function newPrinter(driver: Printer['driver'], others: readonly PrinterRow[]): PrinterRow {
  const stem = { folder: 'folder', system: 'system', socket: 'network' }[driver]
  const taken = new Set(others.map((printer) => printer.id))
  let number = 1
  while (taken.has(`${stem}-${number}`)) number += 1
  return {
    driver,
    id: `${stem}-${number}`,
    name: '',
    path: driver === 'folder' ? 'labels-out' : '',
    queue: '',
    paper: '',
    host: '',
    port: '9100',
    // A queue's own resolution holds unless a provisioning file states one.
    dpi: driver === 'socket' ? '203' : '',
    // A queue's driver draws unless the language of its printer is stated.
    language: driver === 'socket' ? 'zpl' : '',
    stock: '100x150',
    widthMm: '100',
    heightMm: '150',
    rotate: '0',
    copies: '1',
    collate: true,
    sheetColumns: '',
    sheetRows: '',
    sheetWidth: '210',
    sheetHeight: '297',
    sheetMarginX: '',
    sheetMarginY: '',
    sheetGapX: '',
    sheetGapY: '',
    stockTracking: '',
    printMode: '',
    darkness: '',
    darknessChange: '',
    speed: '',
    greys: 'threshold',
    offsetX: '',
    offsetY: '',
  }
}

function rowOf(printer: Printer): PrinterRow {
  const row = { ...newPrinter(printer.driver, []), id: printer.id, name: printer.name ?? '' }
  if (printer.driver === 'folder') return { ...row, path: printer.path }
  const stocked = {
    ...row,
    stock: presetOf(printer.stock),
    widthMm: String(printer.stock.widthMm),
    heightMm: String(printer.stock.heightMm),
    rotate: String(printer.rotate),
    copies: String(printer.copies),
    collate: printer.collate !== false,
    offsetX: printer.offsetMm ? String(printer.offsetMm.x) : '',
    offsetY: printer.offsetMm ? String(printer.offsetMm.y) : '',
  }
  if (printer.driver === 'system')
    return {
      ...stocked,
      ...sheetRowOf(printer.sheet),
      queue: printer.queue,
      paper: printer.paper ?? '',
      dpi: optionalText(printer.dpi),
      language: printer.language ?? '',
      darkness: optionalText(printer.darkness),
      speed: optionalText(printer.speed),
    }
  return {
    ...stocked,
    host: printer.host,
    port: String(printer.port),
    dpi: String(printer.dpi),
    language: printer.language ?? 'zpl',
    stockTracking: printer.stockTracking ?? '',
    printMode: printer.printMode ?? '',
    darkness: optionalText(printer.darkness),
    darknessChange: optionalText(printer.darknessChange),
    speed: optionalText(printer.speed),
    greys: printer.greys ?? 'threshold',
  }
}

function sheetRowOf(sheet: LabelSheet | undefined): Partial<PrinterRow> {
  if (sheet === undefined) return {}
  return {
    sheetColumns: String(sheet.columns),
    sheetRows: String(sheet.rows),
    sheetWidth: String(sheet.widthMm),
    sheetHeight: String(sheet.heightMm),
    sheetMarginX: optionalText(sheet.marginMm?.x),
    sheetMarginY: optionalText(sheet.marginMm?.y),
    sheetGapX: optionalText(sheet.gapMm?.x),
    sheetGapY: optionalText(sheet.gapMm?.y),
  }
}

function sheetOf(row: PrinterRow): Record<string, unknown> | undefined {
  if (row.sheetColumns.trim() === '' && row.sheetRows.trim() === '') return undefined
  return present({
    columns: neededNumber(row.sheetColumns),
    rows: neededNumber(row.sheetRows),
    widthMm: neededNumber(row.sheetWidth),
    heightMm: neededNumber(row.sheetHeight),
    marginMm: pairOf(row.sheetMarginX, row.sheetMarginY),
    gapMm: pairOf(row.sheetGapX, row.sheetGapY),
  })
}

function optionalText(value: number | undefined): string {
  return value === undefined ? '' : String(value)
}

/** A number that may be left out: undefined when nothing was typed. A sign may be typed as it is printed. */
function optionalNumber(text: string): number | undefined {
  const typed = text
    .trim()
    .replace('\u2212', '-')
    .replace(/^\+(?=\d)/, '')
  return typed === '' ? undefined : readNumber(typed)
}

/** A number that must be there: null, which no schema takes, when nothing was typed. */
function neededNumber(text: string): number | null {
  return text.trim() === '' ? null : readNumber(text)
}

function pairOf(along: string, down: string): { x: number; y: number } | undefined {
  const x = optionalNumber(along)
  const y = optionalNumber(down)
  return x === undefined && y === undefined ? undefined : { x: x ?? 0, y: y ?? 0 }
}

/** The printer that a row describes, for the schema to judge. Keys without a value, or without a field, are left out. */
function candidateOf(row: PrinterRow): Record<string, unknown> {
  const common = { driver: row.driver, id: row.id, name: row.name.trim() === '' ? undefined : row.name }
  if (row.driver === 'folder') return present({ ...common, path: row.path })
  const size = sizeOfPreset(row.stock)
  const stocked = {
    ...common,
    stock: size ?? { widthMm: neededNumber(row.widthMm), heightMm: neededNumber(row.heightMm) },
    rotate: readNumber(row.rotate),
    copies: neededNumber(row.copies),
    collate: row.collate ? undefined : false,
    offsetMm: pairOf(row.offsetX, row.offsetY),
  }
  if (row.driver === 'system') {
    return present({
      ...stocked,
      sheet: sheetOf(row),
      queue: row.queue,
      paper: row.paper === '' ? undefined : row.paper,
      dpi: optionalNumber(row.dpi),
      language: row.language === '' ? undefined : row.language,
      darkness: optionalNumber(row.darkness),
      speed: optionalNumber(row.speed),
    })
  }
  return present({
    ...stocked,
    host: row.host,
    port: isDevicePath(row.host.trim()) ? undefined : neededNumber(row.port),
    dpi: readNumber(row.dpi),
    language: row.language === 'zpl' ? undefined : row.language,
    stockTracking: row.stockTracking === '' ? undefined : row.stockTracking,
    printMode: row.printMode === '' || row.language === 'epl2' ? undefined : row.printMode,
    darkness: optionalNumber(row.darkness),
    darknessChange: row.language === 'zpl' ? optionalNumber(row.darknessChange) : undefined,
    speed: optionalNumber(row.speed),
    greys: row.greys === 'threshold' ? undefined : row.greys,
  })
}

/** The printer that a row describes; undefined while something of it is wrong. */
export function printerOfRow(row: PrinterRow): Printer | undefined {
  return settablePrinterSchema.safeParse(candidateOf(row)).data
}

/** Whether a row says what is saved of its printer. */
export function isAsSaved(row: PrinterRow, printers: readonly Printer[]): boolean {
  const saved = printers.find(({ id }) => id === row.id)
  return saved !== undefined && JSON.stringify(candidateOf(rowOf(saved))) === JSON.stringify(candidateOf(row))
}

function present(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}

/** The sizes that documents beside labels usually have. */
export const documentSizes = { A4: '210x297', A5: '148x210', Letter: '215.9x279.4' } as const

function pagesText(pages: RoutingRule['pages']): string {
  return typeof pages === 'object' ? `${pages.widthMm}x${pages.heightMm}` : (pages ?? '')
}

/** The size that a rule's pages have; undefined where they are not of one size. */
export function pageSizeOf(pages: string): SizeMm | undefined {
  const [widthMm, heightMm, ...others] = pages.split('x').map(Number)
  return sizeMmSchema.safeParse(others.length === 0 ? { widthMm, heightMm } : undefined).data
}

/** The rules after the one that matches everything, which never match: the first match wins. */
function unreachedRules(routing: readonly RoutingRule[]): readonly RoutingRule[] {
  const usual = usualRule(routing)
  return usual ? routing.slice(routing.indexOf(usual) + 1) : []
}

/** The rules as typed; saved ones that never match stay behind them as long as their printers are there. */
function rulesOf(values: PrintersValues, saved: readonly RoutingRule[]): Record<string, unknown>[] {
  const known = new Set<string | undefined>(values.printers.map(({ id }) => id))
  const unreached = unreachedRules(saved).filter(
    ({ printer, standby = printer }) => known.has(printer) && known.has(standby),
  )
  const rules: Record<string, unknown>[] = values.routes.map((route) =>
    present({
      carrierOptionId: route.carrierOptionId === '' ? undefined : readNumber(route.carrierOptionId),
      pages: route.pages === '' ? undefined : (pageSizeOf(route.pages) ?? route.pages),
      printer: route.printer,
      standby: route.standby === '' ? undefined : route.standby,
    }),
  )
  const isFirstMeant =
    values.usualStandby !== '' || unreached.length > 0 || values.routes.some(({ pages }) => pages !== '')
  const usual = values.usual === '' && isFirstMeant ? values.printers[0]?.id : values.usual
  if (usual) {
    rules.push(
      present({ printer: usual, standby: values.usualStandby === '' ? undefined : values.usualStandby }),
    )
  }
  return [...rules, ...unreached]
}

/** Rules that name a printer which is not in the list. */
function unknownPrinters(values: PrintersValues): TabFaults {
  const known = new Set(values.printers.map((printer) => printer.id))
  const faults: TabFaults = {}
  const look = (id: string, path: string) => {
    if (id !== '' && !known.has(id)) faults[path] = { code: 'invalid' }
  }
  values.routes.forEach((route, index) => {
    look(route.printer, `routing.${index}.printer`)
    look(route.standby, `routing.${index}.standby`)
  })
  look(values.usual, 'usual')
  look(values.usualStandby, 'usualStandby')
  return faults
}

const printersSchema = z.object({
  printers: z.array(settablePrinterSchema),
  routing: z.array(routingRuleSchema),
})

function usualRule(routing: readonly RoutingRule[]): RoutingRule | undefined {
  return routing.find((rule) => rule.carrierOptionId === undefined && rule.pages === undefined)
}

/** The printers tab: the printers, which of them takes which label, and what is remembered about labels. */
export const printersForm: TabForm<PrintersValues> = {
  fromSettings({ printers, routing }) {
    const usual = usualRule(routing)
    const reached = usual ? routing.slice(0, routing.indexOf(usual)) : routing
    return {
      printers: printers.map(rowOf),
      routes: reached.map((rule, index) => ({
        key: `${index}:${rule.carrierOptionId}`,
        carrierOptionId: rule.carrierOptionId === undefined ? '' : String(rule.carrierOptionId),
        pages: pagesText(rule.pages),
        printer: rule.printer,
        standby: rule.standby ?? '',
      })),
      usual: usual?.printer ?? '',
      usualStandby: usual?.standby ?? '',
      forgotten: [],
    }
  },
  toChange(values, { labelRules, routing }) {
    const candidate = { printers: values.printers.map(candidateOf), routing: rulesOf(values, routing) }
    const parsed = printersSchema.safeParse(candidate, { reportInput: true })
    const faults = { ...(parsed.success ? {} : faultsByPath(parsed.error)), ...unknownPrinters(values) }
    if (!parsed.success || Object.keys(faults).length > 0) return { ok: false, faults }
    if (values.forgotten.length === 0) return { ok: true, change: parsed.data }
    return {
      ok: true,
      change: { ...parsed.data, labelRules: withoutForgotten(labelRules, values.forgotten) },
    }
  },
}

/** A row with another stock preset; a custom size starts from the size before. */
export function withStock(row: PrinterRow, stock: StockPreset): PrinterRow {
  const size = sizeOfPreset(stock)
  if (stock === customStock || !size) return { ...row, stock }
  return { ...row, stock, widthMm: String(size.widthMm), heightMm: String(size.heightMm) }
}
