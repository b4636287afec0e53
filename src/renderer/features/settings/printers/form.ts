import { z } from 'zod'
import type { LossConsent } from '../../../../shared/labels'
import {
  type LabelRules,
  type PlacementRule,
  type SizeMm,
  sizeMmSchema,
  type ZplConsent,
} from '../../../../shared/labels'
import {
  folderPrinterSchema,
  isDevicePath,
  type Printer,
  printerLanguages,
  type RoutingRule,
  routingRuleSchema,
  type SocketPrinter,
  type Stock,
  type SystemPrinter,
  settablePrinterSchema,
  socketPrinterSchema,
  stockSchema,
  systemPrinterSchema,
} from '../../../../shared/printing'
import { err, ok } from '../../../../shared/result'
import {
  numberText,
  optionalNumberText,
  optionalText,
  type ValidationIssues,
  withAllKeys,
} from '../../../ui/validation'
import { decodeWith, omitUndefined, type TabForm, withKey } from '../form'

/** The label sizes that packing stations use most. Some are nearly the same, but not equal. */
const presetSizes = {
  '100x150': { widthMm: 100, heightMm: 150 },
  '102x152': { widthMm: 102, heightMm: 152 },
  a6: { widthMm: 105, heightMm: 148 },
  '102x203': { widthMm: 102, heightMm: 203 },
  '59x191': { widthMm: 59, heightMm: 191 },
  a5: { widthMm: 148, heightMm: 210 },
  a4: { widthMm: 210, heightMm: 297 },
} as const satisfies Record<string, Stock>

const stockPresetSchema = z.enum(['100x150', '102x152', 'a6', '102x203', '59x191', 'a5', 'a4', 'custom'])
export type StockPreset = z.infer<typeof stockPresetSchema>

/** The preset of exactly this size, else `custom`. */
function findPreset(stock: Stock): StockPreset {
  const found = stockPresetSchema.options.find((preset) => {
    const size = preset === 'custom' ? undefined : presetSizes[preset]
    return size?.widthMm === stock.widthMm && size.heightMm === stock.heightMm
  })
  return found ?? 'custom'
}

const socket = socketPrinterSchema.shape
const system = systemPrinterSchema.shape
const sheet = system.sheet.unwrap().shape

/** A pair of numbers that is omitted if both are empty; a single empty one is 0. */
const pairText = (schema: z.ZodType<number, number>) =>
  z.codec(
    z.object({ x: optionalNumberText(schema.optional()), y: optionalNumberText(schema.optional()) }),
    z.object({ x: z.number(), y: z.number() }).optional(),
    {
      decode: ({ x, y }) => (x === undefined && y === undefined ? undefined : { x: x ?? 0, y: y ?? 0 }),
      encode: (pair) => ({ x: pair?.x, y: pair?.y }),
    },
  )

/** A choice whose default the contract omits. */
const usually = <Member extends string>(members: z.ZodType<Member, Member>, usual: Member) =>
  z.codec(members, members.optional(), {
    decode: (member) => (member === usual ? undefined : member),
    encode: (member) => member ?? usual,
  })

const stockedShape = {
  id: socket.id,
  name: optionalText(socket.name),
  stock: z.object({
    widthMm: numberText(stockSchema.shape.widthMm),
    heightMm: numberText(stockSchema.shape.heightMm),
  }),
  rotate: numberText(socket.rotate.unwrap()),
  offsetMm: pairText(socket.offsetMm.unwrap().shape.x),
  copies: numberText(socket.copies.unwrap()),
  /** Pages of several copies are printed as 1, 2, 1, 2 or as 1, 1, 2, 2. */
  collate: z.codec(z.enum(['together', 'each']), z.boolean().optional(), {
    decode: (order) => (order === 'each' ? false : undefined),
    encode: (collate) => (collate === false ? 'each' : 'together'),
  }),
  darkness: optionalNumberText(socket.darkness),
  speed: optionalNumberText(socket.speed),
}

/** Fields of printers whose language the app writes. */
const labelPrinterShape = {
  stockTracking: optionalText(socket.stockTracking),
  printMode: optionalText(socket.printMode),
  darknessChange: optionalNumberText(socket.darknessChange),
  greys: usually(socket.greys.unwrap(), 'threshold'),
}

const socketRowSchema = z.object({
  driver: socket.driver,
  ...stockedShape,
  ...labelPrinterShape,
  host: socket.host,
  port: numberText(socket.port.unwrap()),
  dpi: numberText(socket.dpi.unwrap()),
  language: usually(z.enum(printerLanguages), 'zpl'),
})
const sheetRowSchema = z.object({
  columns: numberText(sheet.columns),
  rows: numberText(sheet.rows),
  widthMm: numberText(sheet.widthMm.unwrap()),
  heightMm: numberText(sheet.heightMm.unwrap()),
  marginMm: pairText(sheet.marginMm.unwrap().shape.x),
  gapMm: pairText(sheet.gapMm.unwrap().shape.x),
})
const systemRowSchema = z.object({
  driver: system.driver,
  ...stockedShape,
  ...labelPrinterShape,
  queue: system.queue,
  paper: optionalText(system.paper),
  language: optionalText(system.language),
  dpi: optionalNumberText(system.dpi),
  sheet: sheetRowSchema.optional(),
})
const folderRowSchema = z.object({
  driver: folderPrinterSchema.shape.driver,
  id: socket.id,
  name: optionalText(socket.name),
  path: folderPrinterSchema.shape.path,
})
const printerRowSchema = z.discriminatedUnion('driver', [socketRowSchema, systemRowSchema, folderRowSchema])

export type SocketRow = z.input<typeof socketRowSchema> & { preset: StockPreset }
export type SystemRow = z.input<typeof systemRowSchema> & {
  preset: StockPreset
  /** Columns and rows are empty if labels are not on sheets. */
  sheet: z.input<typeof sheetRowSchema>
  /** The saved queue if it has fields of label printers without a language, as a raw queue may. */
  rawQueue: string | undefined
}
/** One printer as typed. */
export type PrinterRow = SocketRow | SystemRow | z.input<typeof folderRowSchema>

const noSheet: SystemRow['sheet'] = {
  columns: '',
  rows: '',
  widthMm: '210',
  heightMm: '297',
  marginMm: { x: '', y: '' },
  gapMm: { x: '', y: '' },
}

function toSocketRow(printer: SocketPrinter): SocketRow {
  return {
    ...z.encode(socketRowSchema, withAllKeys(socketRowSchema, printer)),
    preset: findPreset(printer.stock),
  }
}

function toSystemRow(printer: SystemPrinter): SystemRow {
  const row = z.encode(systemRowSchema, withAllKeys(systemRowSchema, printer))
  const { language, stockTracking, printMode, darknessChange, greys } = printer
  const isRaw =
    language === undefined && (stockTracking ?? printMode ?? darknessChange ?? greys) !== undefined
  const rawQueue = isRaw ? printer.queue : undefined
  return { ...row, preset: findPreset(printer.stock), sheet: row.sheet ?? noSheet, rawQueue }
}

const drawnByQueue = { stockTracking: '', printMode: '', darknessChange: '', greys: 'threshold' } as const

function toRow(printer: Printer): PrinterRow {
  switch (printer.driver) {
    case 'socket':
      return toSocketRow(printer)
    case 'system':
      return toSystemRow(printer)
    case 'folder':
      return z.encode(folderRowSchema, withAllKeys(folderRowSchema, printer))
  }
}

/** A row for a new printer. Its id is random: consents, a pause or jobs of a removed printer may be stored under its id. */
export function newPrinter(driver: 'socket'): SocketRow
export function newPrinter(driver: 'system'): SystemRow
export function newPrinter(driver: Printer['driver']): PrinterRow
export function newPrinter(driver: Printer['driver']): PrinterRow {
  const stem = { folder: 'folder', system: 'system', socket: 'network' }[driver]
  const id = `${stem}-${crypto.randomUUID().slice(0, 6)}`
  switch (driver) {
    case 'folder':
      return { driver, id, name: '', path: 'labels-out' }
    case 'socket':
      return { ...toSocketRow(socketPrinterSchema.parse({ driver, id, host: '-' })), host: '' }
    case 'system':
      return { ...toSystemRow(systemPrinterSchema.parse({ driver, id, queue: '-' })), queue: '' }
  }
}

/** Whether labels are on sheets: their number of columns or rows is typed. */
export function hasSheet({ sheet: { columns, rows } }: Pick<SystemRow, 'sheet'>): boolean {
  return columns.trim() !== '' || rows.trim() !== ''
}

/** Clears the fields that the row's language, device or sheet does not have, whatever was typed into them. */
function withoutUnused(row: PrinterRow): z.input<typeof printerRowSchema> {
  if (row.driver === 'folder') return row
  const used = isLabelPrinter(row)
    ? {
        printMode: row.language === 'epl2' ? '' : row.printMode,
        darknessChange: hasDarknessChange(row) ? row.darknessChange : '',
      }
    : drawnByQueue
  if (row.driver === 'socket') {
    return { ...row, ...used, port: isDevicePath(row.host.trim()) ? usualPort : row.port }
  }
  return { ...row, ...used, sheet: hasSheet(row) ? row.sheet : undefined }
}

/**
 * Whether the app writes the printer's language, or the queue is saved as one that takes it; such a printer has more settings
 * than a queue's driver.
 */
export function isLabelPrinter(row: PrinterRow): row is SocketRow | SystemRow {
  return (
    row.driver === 'socket' ||
    (row.driver === 'system' && (row.language !== '' || row.queue === row.rawQueue))
  )
}

/** Whether labels can be darker or lighter than the printer's setting: in ZPL, which a raw queue without a language gets. */
export function hasDarknessChange({ language }: SocketRow | SystemRow): boolean {
  return language === 'zpl' || language === ''
}

const usualPort = String(socket.port.parse(undefined))

const settableRowSchema = printerRowSchema.superRefine((printer, { addIssue }) => {
  for (const { path, message } of settablePrinterSchema.safeParse(printer).error?.issues ?? []) {
    addIssue({ code: 'custom', path, message })
  }
})

/** The printer of a row; undefined if a field is invalid. */
export function readPrinter(row: PrinterRow): Printer | undefined {
  return z.safeDecode(settableRowSchema, withoutUnused(row)).data
}

/** Whether a row equals its saved printer. */
export function equalsSaved(row: PrinterRow, printers: readonly Printer[]): boolean {
  const saved = printers.find(({ id }) => id === row.id)
  const asText = (each: PrinterRow) => {
    const read = z.safeDecode(printerRowSchema, withoutUnused(each))
    return read.success ? JSON.stringify(read.data) : undefined
  }
  return saved !== undefined && asText(toRow(saved)) === asText(row)
}

/**
 * A row with another stock preset; `custom` starts from the previous size. A queue's paper of that size is found again,
 * but not that of a sheet, whose size does not change.
 */
export function withStock<Row extends SocketRow | SystemRow>(row: Row, preset: StockPreset): Row {
  if (preset === 'custom') return { ...row, preset }
  const { widthMm, heightMm } = presetSizes[preset]
  const stock = { widthMm: String(widthMm), heightMm: String(heightMm) }
  return { ...row, preset, stock, ...(hasPaperOfStock(row) && { paper: '' }) }
}

/** Whether a row's paper is that of its label size, not of a sheet. */
export function hasPaperOfStock(row: PrinterRow): boolean {
  return row.driver === 'system' && !hasSheet(row)
}

/** Common sizes of documents that come with labels. */
export const documentSizes = { A4: '210x297', A5: '148x210', Letter: '215.9x279.4' } as const

/** The page size of a rule; undefined if the rule has none. */
export function readPageSize(pages: string): SizeMm | undefined {
  const [widthMm, heightMm, ...others] = pages.split('x').map(Number)
  return sizeMmSchema.safeParse(others.length === 0 ? { widthMm, heightMm } : undefined).data
}

const routeSchema = z.object({
  carrierOptionId: optionalNumberText(routingRuleSchema.shape.carrierOptionId),
  /** Empty for all pages, `larger-than-stock`, or a size such as `210x297`. */
  pages: z.codec(z.string(), routingRuleSchema.shape.pages, {
    decode(text, { issues }) {
      if (text === '') return undefined
      const pages = text === 'larger-than-stock' ? text : readPageSize(text)
      if (pages !== undefined) return pages
      issues.push({ code: 'custom', input: text, message: 'invalid' })
      return z.NEVER
    },
    encode: (pages) => (typeof pages === 'object' ? `${pages.widthMm}x${pages.heightMm}` : (pages ?? '')),
  }),
  printer: routingRuleSchema.shape.printer,
  standby: optionalText(routingRuleSchema.shape.standby),
})
/** A rule for a carrier option or a page size, as typed. */
export type RouteRow = z.input<typeof routeSchema> & { key: string }

const printersSchema = z.object({ printers: z.array(settableRowSchema), routing: z.array(routeSchema) })

type PrintersValues = {
  printers: PrinterRow[]
  routing: RouteRow[]
  /** The default printer; empty for the first one in the list. */
  usual: string
  usualStandby: string
  /** Keys of remembered rules and consents to delete. */
  forgotten: string[]
}

/** Whether any printer was chosen for labels. */
export function hasRouting({ routing, usual, usualStandby }: PrintersValues): boolean {
  return routing.length > 0 || usual !== '' || usualStandby !== ''
}

function findUsualRule(routing: readonly RoutingRule[]): RoutingRule | undefined {
  return routing.find((rule) => rule.carrierOptionId === undefined && rule.pages === undefined)
}

/** The rules as edited. Saved rules that never match are kept at the end while their printers exist. */
function withUsualRule(values: PrintersValues, rules: RoutingRule[], saved: readonly RoutingRule[]) {
  const known = new Set<string>(values.printers.map(({ id }) => id))
  const savedUsual = findUsualRule(saved)
  // The first match wins: rules after the one for everything are unreachable.
  const unreached = (savedUsual ? saved.slice(saved.indexOf(savedUsual) + 1) : []).filter(
    ({ printer, standby = printer }) => known.has(printer) && known.has(standby),
  )
  const needsRule = values.usualStandby !== '' || unreached.length > 0
  const printer = values.usual === '' && needsRule ? values.printers[0]?.id : values.usual
  const usual = printer ? [omitUndefined({ printer, standby: values.usualStandby || undefined })] : []
  return [...rules.map(omitUndefined), ...usual, ...unreached]
}

/** Rules with a printer that is not in the list. */
function unknownPrinters(values: PrintersValues): ValidationIssues {
  const known = new Set(values.printers.map((printer) => printer.id))
  const issues: ValidationIssues = {}
  const look = (id: string, path: string) => {
    if (id !== '' && !known.has(id)) issues[path] = { code: 'invalid' }
  }
  values.routing.forEach((route, index) => {
    look(route.printer, `routing.${index}.printer`)
    look(route.standby, `routing.${index}.standby`)
  })
  look(values.usual, 'usual')
  look(values.usualStandby, 'usualStandby')
  return issues
}

/** The printers tab: the printers, the routing, and the remembered decisions about labels. */
export const printersForm: TabForm<PrintersValues> = {
  toValues({ printers, routing }) {
    const usual = findUsualRule(routing)
    const reached = usual ? routing.slice(0, routing.indexOf(usual)) : routing
    return {
      printers: printers.map(toRow),
      routing: reached.map((rule) => withKey(z.encode(routeSchema, withAllKeys(routeSchema, rule)))),
      usual: usual?.printer ?? '',
      usualStandby: usual?.standby ?? '',
      forgotten: [],
    }
  },
  read(values, { labelRules, routing }) {
    const read = decodeWith(printersSchema, {
      printers: values.printers.map(withoutUnused),
      routing: values.routing,
    })
    const issues = { ...(read.ok ? {} : read.error), ...unknownPrinters(values) }
    if (!read.ok || Object.keys(issues).length > 0) return err(issues)
    return ok({
      printers: read.value.printers.map(omitUndefined),
      routing: withUsualRule(values, read.value.routing, routing),
      ...(values.forgotten.length > 0 && { labelRules: withoutForgotten(labelRules, values.forgotten) }),
    })
  },
}

/**
 * Identifies a remembered rule or consent while the tab is open. A rule saved again meanwhile differs and is kept.
 */
export function rememberedKey(remembered: PlacementRule | ZplConsent | LossConsent): string {
  return JSON.stringify(remembered)
}

export function withoutForgotten(
  { placements, zplCommands, losses }: LabelRules,
  forgotten: readonly string[],
): LabelRules {
  const gone = new Set(forgotten)
  return {
    placements: placements.filter((rule) => !gone.has(rememberedKey(rule))),
    zplCommands: zplCommands.filter((consent) => !gone.has(rememberedKey(consent))),
    losses: losses.filter((consent) => !gone.has(rememberedKey(consent))),
  }
}
