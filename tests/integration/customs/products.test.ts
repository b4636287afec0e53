import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CustomsRepository } from '../../../src/main/customs/repository'
import { ok } from '../../../src/shared/result'
import { openTestDatabase } from '../../support/databaseWorker'
import { quietAdapters } from '../../support/quietAdapters'
import { temporaryFolder } from '../../support/temporaryFolder'
import { stationOn } from '../../support/testStation'

const aProduct = (code: string) => ({
  ...{ code, name: `Product ${code}`, hsCode: '49019900', countryOfOrigin: 'NL', weight: 0.5, price: 10 },
})

async function catalogue(codes: readonly string[]) {
  const opened = await openTestDatabase(join(await temporaryFolder(), 'packbench.db'))
  if (!opened.ok) throw new Error(opened.error.message)
  onTestFinished(() => opened.value.destroy())
  const customs = new CustomsRepository(opened.value)
  await customs.putProducts(codes.map(aProduct), [])
  return customs
}

describe('findProduct', () => {
  it.each([
    ['gr\u00f6-100', 'GR\u00d6-100'],
    [' GR\u00d6-100 ', 'GR\u00d6-100'],
    ['sku 1', 'SKU 1'],
    ['50%', '50%'],
  ])('finds the product of %j, ignoring case and surrounding spaces', async (code, found) => {
    const customs = await catalogue(['GR\u00d6-100', 'GR\u00d6-1001', 'SKU', 'SKU 1', '50%', '500'])
    expect((await customs.findProduct(code))?.code).toBe(found)
  })

  it('prefers the code in the same case', async () => {
    const customs = await catalogue(['abc', 'ABC'])
    expect((await customs.findProduct('abc'))?.code).toBe('abc')
    expect((await customs.findProduct('ABC'))?.code).toBe('ABC')
  })

  it('does not find a code of which only the beginning or nothing matches', async () => {
    const customs = await catalogue(['GR\u00d6-100'])
    expect(await customs.findProduct('GR\u00d6')).toBeUndefined()
    expect(await customs.findProduct('100')).toBeUndefined()
  })
})

it('searchProducts lists products whose code begins with the text first, also with letters outside ASCII', async () => {
  const customs = await catalogue(['A-\u00d6L', '\u00d6L-1'])
  const { products } = await customs.searchProducts('\u00f6l', 10, 0)
  expect(products.map(({ code }) => code)).toEqual(['\u00d6L-1', 'A-\u00d6L'])
})

it('an imported file replaces only the columns that it has, and its result names the others', async () => {
  const station = await stationOn(await temporaryFolder())
  const started = await station.start()
  if (!started.ok) throw new Error(started.error.message)
  const { handlers, customs } = started.value
  await customs.putProducts(['A-1', 'A-2'].map(aProduct), [])
  const bytes = new Uint8Array(Buffer.from('code;name;price\nA-1;Atlas;12,50\nA-3;Map;3,00\n')).buffer
  expect(await handlers.importProducts({ fileName: 'prices.csv', bytes })).toMatchObject(
    ok({ added: 1, changed: 1, missingColumns: ['hsCode', 'countryOfOrigin', 'weight'] }),
  )
  expect((await customs.searchProducts('a-', 10, 0)).products).toEqual([
    { ...aProduct('A-1'), name: 'Atlas', price: 12.5 },
    aProduct('A-2'),
    { ...aProduct('A-3'), name: 'Map', hsCode: '', countryOfOrigin: '', weight: 0, price: 3 },
  ])
  expect((await customs.searchProducts('atlas', 10, 0)).total).toBe(1)
  const whole = 'code;name;hsCode;countryOfOrigin;weight;price\nA-1;Atlas;;;;\n'
  const second = { fileName: 'whole.csv', bytes: new Uint8Array(Buffer.from(whole)).buffer }
  expect(await handlers.importProducts(second)).toMatchObject(ok({ changed: 1, missingColumns: [] }))
  expect(await customs.findProduct('A-1')).toMatchObject({
    hsCode: '',
    countryOfOrigin: '',
    weight: 0,
    price: 0,
  })
})

describe('the saved catalogue', () => {
  async function stationWith(writeCatalogue: typeof quietAdapters.tables.writeCatalogue) {
    const saved: [string, Uint8Array][] = []
    const station = await stationOn(await temporaryFolder(), {
      tables: { ...quietAdapters.tables, writeCatalogue },
      desktop: {
        ...quietAdapters.desktop,
        async saveFile(fileName: string, bytes: Uint8Array) {
          saved.push([fileName, bytes])
          return ok(fileName)
        },
      },
    })
    const started = await station.start()
    if (!started.ok) throw new Error(started.error.message)
    const { handlers, customs } = started.value
    await customs.putProducts([aProduct('A-1')], [])
    return { handlers, saved }
  }

  it('is written by the thread for tables', async () => {
    const bytes = new Uint8Array([1])
    const { handlers, saved } = await stationWith(async () => bytes)
    expect(await handlers.saveCatalogue({ kind: 'xlsx' })).toEqual(ok('products.xlsx'))
    expect(saved).toEqual([['products.xlsx', bytes]])
  })

  it('is reported as not saved when the thread fails', async () => {
    const { handlers, saved } = await stationWith(() => Promise.reject(new Error('it took too long')))
    expect(await handlers.saveCatalogue({ kind: 'xlsx' })).toMatchObject({
      ok: false,
      error: { code: 'export-not-saved', details: { reason: 'it took too long' } },
    })
    expect(saved).toEqual([])
  })
})
