import type { CatalogueImport } from '../../shared/customs'
import { appError } from '../../shared/errors'
import { type FileFault, faultDetails } from '../../shared/fileFaults'
import { err, ok, type Result } from '../../shared/result'
import { type ReadCatalogue, writeCatalogue } from './catalogueFile'
import type { CustomsRepository } from './repository'

const faultsShown = 100

/** The product catalogue in files. */
export interface Catalogue {
  /** Adds a file's products, and replaces those that are known. Lines with faults are left out. */
  import(fileName: string, bytes: ArrayBuffer): Promise<Result<CatalogueImport>>
  export(kind: 'csv' | 'xlsx'): Promise<Uint8Array>
}

/** Reads a catalogue's file, away from the main thread. */
export type CatalogueReader = (bytes: ArrayBuffer) => Promise<Result<ReadCatalogue, FileFault>>

/** Makes the catalogue. */
export function createCatalogue(repository: CustomsRepository, readFile: CatalogueReader): Catalogue {
  return {
    async import(fileName, bytes) {
      const read = await readFile(bytes)
      if (!read.ok) {
        const details = { file: fileName, ...faultDetails(read.error) }
        return err(appError('table-unreadable', details))
      }
      const { products, faults, hsNumbers } = read.value
      const known = new Set(await repository.listProductCodes())
      const changed = products.filter((product) => known.has(product.code)).length
      await repository.putProducts(products)
      return ok({
        added: products.length - changed,
        changed,
        faults: faults.slice(0, faultsShown),
        linesLeftOut: new Set(faults.map((fault) => fault.line)).size,
        hsNumbers,
      })
    },
    async export(kind) {
      const { products } = await repository.searchProducts('', Number.MAX_SAFE_INTEGER, 0)
      return writeCatalogue(products, kind)
    },
  }
}
