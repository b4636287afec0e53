import type { Product, SenderProfile } from '../../shared/customsBridge'

/** Where products, senders and invoice numbers are kept. Every change is durable when its promise resolves. */
export interface CustomsStore {
  search(text: string, limit: number, offset: number): Promise<{ products: Product[]; total: number }>
  find(code: string): Promise<Product | undefined>
  /** Adds products, or puts them in the place of those with the same codes. An end in the middle leaves the first of them. */
  put(products: readonly Product[]): Promise<void>
  codes(): Promise<string[]>
  removeProduct(code: string): Promise<void>
  profiles(): Promise<SenderProfile[]>
  saveProfile(profile: SenderProfile): Promise<void>
  removeProfile(id: string): Promise<void>
  /** The highest number used so far in a series; 0 when there is none. Shipments that were removed count, too. */
  lastInvoiceNumber(prefix: string): Promise<number>
}
