/** Delimiter tags that begin a group of attributes (RFC 8010, section 3.5.1). */
export const groupTag = {
  operation: 0x01,
  job: 0x02,
  printer: 0x04,
  unsupported: 0x05,
  subscription: 0x06,
  event: 0x07,
} as const

/** Value tags (RFC 8010, section 3.5.2). */
export const valueTag = {
  integer: 0x21,
  boolean: 0x22,
  enumeration: 0x23,
  dateTime: 0x31,
  resolution: 0x32,
  range: 0x33,
  collection: 0x34,
  text: 0x41,
  name: 0x42,
  keyword: 0x44,
  uri: 0x45,
  charset: 0x47,
  language: 0x48,
  mimeType: 0x49,
} as const

/** Operations that the app asks for (RFC 8011, subscriptions of RFC 3995, and CUPS' own from 0x4001 on). */
export const operation = {
  getJobAttributes: 0x0009,
  getPrinterAttributes: 0x000b,
  createPrinterSubscriptions: 0x0016,
  cancelSubscription: 0x001b,
  getNotifications: 0x001c,
  getPrinters: 0x4002,
} as const

/** From this status code on an answer is a refusal. */
export const firstErrorStatus = 0x0400
export const notFoundStatus = 0x0406

/** One value; what it means is in the tag of its attribute. Values without a shape of their own stay bytes. */
export type IppValue =
  | number
  | boolean
  | string
  | { lower: number; upper: number }
  /** A resolution in dots per inch. */
  | { x: number; y: number }
  | IppAttribute[]
  | Buffer

export interface IppAttribute {
  name: string
  tag: number
  values: IppValue[]
}

export interface IppGroup {
  tag: number
  attributes: IppAttribute[]
}

export interface IppMessage {
  /** The operation of a request, the status of an answer. */
  code: number
  requestId: number
  groups: IppGroup[]
  /** The document after the attributes; empty when there is none. */
  data: Buffer
}

/** The texts of an attribute in a group, without values of other kinds; empty when the attribute is missing. */
export function toTexts(group: IppGroup | undefined, name: string): string[] {
  return toValues(group, name).filter((value) => typeof value === 'string')
}

/** The first text of an attribute in a group. */
export function toText(group: IppGroup | undefined, name: string): string | undefined {
  return toTexts(group, name)[0]
}

/** The first number of an attribute in a group. */
export function toNumber(group: IppGroup | undefined, name: string): number | undefined {
  return toValues(group, name).find((value) => typeof value === 'number')
}

/** The first resolution of an attribute in a group, across the paper, in dots per inch. */
export function getResolution(group: IppGroup | undefined, name: string): number | undefined {
  for (const value of toValues(group, name)) if (typeof value === 'object' && 'x' in value) return value.x
  return undefined
}

/** A yes or no of a group; undefined when the attribute is missing. */
export function getFlag(group: IppGroup | undefined, name: string): boolean | undefined {
  return toValues(group, name).find((value) => typeof value === 'boolean')
}

function toValues(group: IppGroup | undefined, name: string): IppValue[] {
  return group?.attributes.find((attribute) => attribute.name === name)?.values ?? []
}
