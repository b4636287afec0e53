import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ItemField, toItems } from '../../../src/renderer/features/ship/customs/form'
import { toForm } from '../../../src/renderer/features/ship/form'
import { methods } from '../../../src/shared/bridge'
import { customsSchema } from '../../../src/shared/customs'
import { appError } from '../../../src/shared/errors'
import { err, ok } from '../../../src/shared/result'
import { deferred } from '../../support/deferred'
import { createFakeBridge } from '../../support/fakeBridge'
import { sampleOf } from '../../support/sampleOf'
import { sampleDraft } from '../../support/screenSamples'
import { openWindow } from './openWindow'

const invoice = customsSchema.parse(sampleOf(customsSchema))
const book = { code: 'B1', name: 'Book', hsCode: '490199', countryOfOrigin: 'NL', weight: 0.4, price: 12.5 }

const dutch = {
  ...{ id: 'a', name: 'A' },
  party: { ...invoice.sender, companyName: 'A BV', country: 'NL', vatNumber: 'NL1', eoriNumber: 'NL1' },
}
const british = {
  ...{ id: 'b', name: 'B' },
  party: { ...invoice.sender, companyName: 'B Ltd', country: 'GB', vatNumber: 'GB1', eoriNumber: 'GB1' },
}
const twoSenders = [dutch, british]

function makeStores() {
  const fake = createFakeBridge()
  const { bridge, emit } = fake
  bridge.findProduct = () => Promise.resolve(ok(book))
  bridge.suggestInvoiceNumber = () => Promise.resolve(ok('INV-00001'))
  const { ship, customs } = openWindow(fake)
  return { bridge, emit, ship, customs }
}

/** Stores with a filled-in customs block. */
async function filledIn() {
  const stores = makeStores()
  const { customs } = stores
  customs.getState().turn(true)
  customs.getState().edit({ reason: 'Gift', consigneeType: 'Y', consigneeVat: 'CHE123456789' })
  await customs.getState().scan('B1')
  await customs.getState().scan('B1')
  expect(customs.getState().form).toMatchObject({ invoiceNumber: 'INV-00001', items: [{ quantity: '2' }] })
  return stores
}

describe('clearing the form', () => {
  it('leaves no goods for the next parcel', async () => {
    const { ship, customs } = await filledIn()
    ship.getState().clear()
    expect(customs.getState()).toMatchObject({
      on: false,
      form: { invoiceNumber: '', consigneeVat: '', items: [] },
    })
  })

  it('can be undone with items, invoice and switches', async () => {
    const { ship, customs } = await filledIn()
    ship.getState().edit({ reference: 'EXPORT-1' })
    const before = customs.getState().form
    ship.getState().clear()
    ship.getState().undoClear()
    expect(ship.getState().form.reference).toBe('EXPORT-1')
    expect(customs.getState()).toMatchObject({ on: true, form: before })
    expect(ship.getState().cleared).toBeNull()
  })

  it('can be undone when only customs data were typed', async () => {
    const { ship, customs } = await filledIn()
    ship.getState().clear()
    expect(ship.getState().cleared).not.toBeNull()
    ship.getState().undoClear()
    expect(customs.getState().form.items).toHaveLength(1)
  })

  it('can be undone after an earlier shipment was loaded, whose customs data do not stay', async () => {
    const { ship, customs } = makeStores()
    ship.getState().edit({ reference: 'A' })
    const shipped = sampleDraft({ reference: 'B', country: 'CH', customs: { ...invoice, terms: 'DDP' } })
    ship.getState().startDraft(shipped, 'again')
    expect(customs.getState()).toMatchObject({ on: true, form: { terms: 'DDP' } })
    ship.getState().undoClear()
    expect(ship.getState().form.reference).toBe('A')
    expect(customs.getState()).toMatchObject({ on: false, form: { terms: 'DAP', items: [] } })
  })

  it('takes the station’s sender for an earlier shipment whose sender was changed since, and keeps it for the next parcel', () => {
    const { ship, customs } = makeStores()
    const party = { ...invoice.sender, phoneNumber: '0201234567' }
    customs.getState().applyProfiles([{ id: 'profile-1', name: 'Warehouse', party }])
    ship.getState().startDraft(sampleDraft({ reference: 'B', country: 'CH', customs: invoice }), 'again')
    const read = customs.getState().read(ship.getState().form)
    expect(read).toMatchObject({ ok: true, customs: { sender: party } })
    ship.getState().clear()
    customs.getState().turn(true)
    expect(customs.getState().form.senderId).toBe('profile-1')
  })

  it('goes back to the station’s sender after a parcel of another one was shipped again', () => {
    const { ship, customs } = makeStores()
    customs.getState().applyProfiles(twoSenders)
    ship.getState().startDraft(sampleDraft({ customs: { ...invoice, sender: british.party } }), 'again')
    expect(customs.getState().form.senderId).toBe('b')
    ship.getState().clear()
    expect(customs.getState().form.senderId).toBe('a')
    expect(customs.getState().isMissing({ country: 'GB', postalCode: 'SW1A 1AA' })).toBe(true)
    expect(customs.getState().isMissing({ country: 'NL', postalCode: '1012' })).toBe(false)
  })

  it('keeps the sender that a person chose for a parcel that was shipped again', () => {
    const { ship, customs } = makeStores()
    customs.getState().applyProfiles(twoSenders)
    ship.getState().startDraft(sampleDraft({ customs: { ...invoice, sender: dutch.party } }), 'again')
    customs.getState().edit({ senderId: 'b' })
    customs.getState().edit({ terms: 'DDP' })
    ship.getState().clear()
    expect(customs.getState().form).toMatchObject({ senderId: 'b', terms: 'DAP' })
  })

  it.each([
    ['its EORI number', { eoriNumber: 'GB999' }],
    ['its VAT number and its name', { vatNumber: 'GB999', companyName: 'B Limited' }],
    ['its numbers', { eoriNumber: '', vatNumber: '' }],
  ])('finds the sender of an earlier shipment although %s was corrected since', (_, corrected) => {
    const { ship, customs } = makeStores()
    const party = { ...british.party, ...corrected }
    customs.getState().applyProfiles([dutch, { ...british, party }])
    ship.getState().startDraft(sampleDraft({ customs: { ...invoice, sender: british.party } }), 'correct')
    expect(customs.getState().read(ship.getState().form)).toMatchObject({
      ok: true,
      customs: { sender: party },
    })
  })

  it('asks for the sender of an earlier shipment that is no sender of the station', () => {
    const { ship, customs } = makeStores()
    customs.getState().applyProfiles(twoSenders)
    const sender = { ...invoice.sender, companyName: 'C', eoriNumber: 'CH1', vatNumber: 'CH1' }
    ship.getState().startDraft(sampleDraft({ customs: { ...invoice, sender } }), 'correct')
    customs.getState().applyProfiles(twoSenders)
    const read = customs.getState().read(ship.getState().form)
    expect(read).toMatchObject({ ok: false, issues: { sender: expect.anything() } })
    ship.getState().clear()
    expect(customs.getState().form.senderId).toBe('a')
  })

  it('can’t be undone when nothing was typed', () => {
    const { ship } = makeStores()
    ship.getState().clear()
    expect(ship.getState().cleared).toBeNull()
  })

  it('can’t be undone once new customs data were typed', async () => {
    const { ship, customs } = await filledIn()
    ship.getState().clear()
    customs.getState().turn(true)
    customs.getState().edit({ reason: 'Sample' })
    ship.getState().undoClear()
    expect(customs.getState().form).toMatchObject({ reason: 'Sample', consigneeVat: '' })
  })

  it('discards a product whose look-up is answered afterwards', async () => {
    const { bridge, ship, customs } = makeStores()
    const answer = deferred<Awaited<ReturnType<typeof bridge.findProduct>>>()
    bridge.findProduct = () => answer.promise
    customs.getState().turn(true)
    const scanned = customs.getState().scan('B1')
    ship.getState().clear()
    answer.resolve(ok(book))
    await scanned
    expect(customs.getState().form.items).toEqual([])
  })
})

it('an invoice number that can’t be suggested is an error of the block, since a person has to fill it in', async () => {
  const { bridge, customs } = makeStores()
  bridge.suggestInvoiceNumber = () => Promise.resolve(err(appError('internal')))
  customs.getState().turn(true)
  await expect.poll(() => customs.getState().error).toMatchObject({ code: 'internal' })
  expect(customs.getState().form.invoiceNumber).toBe('')
})

it('a product whose weight and price the catalogue does not know is asked for them, scanned or typed', async () => {
  const { bridge, ship, customs } = makeStores()
  bridge.findProduct = () => Promise.resolve(ok({ ...book, weight: 0, price: 0 }))
  customs.getState().applyProfiles([dutch])
  customs.getState().turn(true)
  await customs.getState().scan('B1')
  expect(customs.getState().form.items).toMatchObject([{ product: 'Book', weight: '', itemPrice: '' }])
  expect(customs.getState().read(ship.getState().form)).toMatchObject({
    ok: false,
    issues: { 'items.0.weight': expect.anything(), 'items.0.itemPrice': expect.anything() },
  })
  const key = customs.getState().form.items[0]?.key ?? ''
  customs.getState().editItem(key, 'product', '')
  await customs.getState().completeItem(key)
  expect(customs.getState().form.items).toMatchObject([{ product: 'Book', weight: '', itemPrice: '' }])
})

describe('an item whose product code was typed', () => {
  /** A block with one item, which holds what was typed. */
  function typeItem(typed: Partial<Record<ItemField, string>>) {
    const stores = makeStores()
    const { customs } = stores
    customs.getState().turn(true)
    const key = customs.getState().form.items[0]?.key ?? ''
    const type = (fields: typeof typed) => {
      const { form } = customs.getState()
      customs.setState({ form: { ...form, items: form.items.map((item) => ({ ...item, ...fields })) } })
    }
    type(typed)
    return { ...stores, key, type, item: () => customs.getState().form.items[0] }
  }

  it('gets from the catalogue what was not typed', async () => {
    const { customs, key, item } = typeItem({ productCode: 'b1', itemPrice: '9', quantity: '3' })
    await customs.getState().completeItem(key)
    expect(item()).toMatchObject({
      ...{ productCode: 'B1', product: 'Book', quantity: '3', itemPrice: '9' },
      ...{ hsCode: '490199', countryOfOrigin: 'NL', weight: '0.4' },
    })
  })

  it.each([{ product: 'Cup' }, { productCode: 'C1' }])(
    'keeps %j that was typed before the catalogue answered',
    async (typed) => {
      const { bridge, customs, key, type, item } = typeItem({ productCode: 'B1' })
      const answer = deferred<Awaited<ReturnType<typeof bridge.findProduct>>>()
      bridge.findProduct = () => answer.promise
      const completed = customs.getState().completeItem(key)
      type(typed)
      answer.resolve(ok(book))
      await completed
      expect(item()).toMatchObject({ hsCode: '', ...typed })
    },
  )
})

describe('a parcel to a destination that usually needs customs data', () => {
  it('is reported as lacking them while the customs block is off', () => {
    const { customs } = makeStores()
    const { isMissing } = customs.getState()
    const london = { country: 'GB', postalCode: 'SW1A 1AA' }
    expect(isMissing(london)).toBe(true)
    expect(isMissing({ country: 'ES', postalCode: '35001' })).toBe(true)
    expect(isMissing({ country: 'BE', postalCode: '9000' })).toBe(false)
    customs.getState().turn(true)
    expect(isMissing(london)).toBe(false)
  })
})

describe('the form while it is being sent', () => {
  it('does not change its customs data', async () => {
    const { ship, customs } = await filledIn()
    ship.setState({ sending: true })
    customs.getState().edit({ reason: 'Sale' })
    customs.getState().addItem()
    expect(customs.getState().form).toMatchObject({ reason: 'Gift', items: [{ productCode: 'B1' }] })
  })
})

describe('values of one parcel', () => {
  it('from an earlier shipment do not stay for the next parcel', async () => {
    const { ship, customs } = makeStores()
    const usual = { terms: 'DAP', currency: 'EUR', reason: '' }
    expect(customs.getState().form).toMatchObject(usual)
    const shipped = { ...invoice, currency: 'GBP', terms: 'DDP', reason: 'Gift' }
    ship.getState().startDraft(sampleDraft({ reference: 'B', country: 'CH', customs: shipped }), 'again')
    expect(customs.getState().form).toMatchObject({ currency: 'GBP', terms: 'DDP' })
    customs.getState().finish()
    customs.getState().turn(true)
    expect(customs.getState().form).toMatchObject(usual)
  })

  it('in another currency than the station’s get no price from the catalogue, whose prices are in the usual one', async () => {
    const { ship, customs } = makeStores()
    const shipped = { ...invoice, currency: 'GBP' }
    ship.getState().startDraft(sampleDraft({ reference: 'B', country: 'CH', customs: shipped }), 'again')
    await customs.getState().scan('B1')
    const scanned = customs.getState().form.items.at(-1)
    expect(scanned).toMatchObject({ productCode: 'B1', hsCode: '490199', itemPrice: '' })
    customs.getState().addItem()
    const key = customs.getState().form.items.at(-1)?.key ?? ''
    customs.getState().editItem(key, 'productCode', 'B1')
    await customs.getState().completeItem(key)
    const typed = customs.getState().form.items.at(-1)
    expect(typed).toMatchObject({ product: 'Book', hsCode: '490199', itemPrice: '' })
  })
})

it('a currency that a person chooses is the usual one, in which the catalogue’s prices are', async () => {
  const { customs } = makeStores()
  customs.getState().turn(true)
  customs.getState().edit({ currency: 'USD' })
  await customs.getState().scan('B1')
  expect(customs.getState().form.items).toMatchObject([{ productCode: 'B1', itemPrice: '12.5' }])
  customs.getState().finish()
  expect(customs.getState().form.currency).toBe('USD')
})

describe('equal goods of combined orders', () => {
  const goods = {
    name: 'Vase',
    sku: 'V',
    quantity: '1',
    hsCode: '',
    countryOfOrigin: 'NL',
    weight: '',
    price: '1',
  }
  const merge = (...changes: Partial<typeof goods>[]) =>
    toItems(
      changes.map((change) => ({ ...goods, ...change })),
      () => 'key',
    )

  it('are added without binary rounding errors', () => {
    expect(merge({ quantity: '0.1' }, { quantity: '0,2' })).toMatchObject([{ quantity: '0.3' }])
  })

  it('stay apart if another field differs or a quantity is no number', () => {
    expect(merge({}, { countryOfOrigin: 'CN' })).toMatchObject([
      { quantity: '1', countryOfOrigin: 'NL' },
      { quantity: '1', countryOfOrigin: 'CN' },
    ])
    expect(merge({ quantity: '2 pcs' }, {})).toMatchObject([{ quantity: '2 pcs' }, { quantity: '1' }])
    expect(merge({ weight: '1' }, { weight: '2' }, { weight: '1' })).toMatchObject([
      { quantity: '2', weight: '1' },
      { quantity: '1', weight: '2' },
    ])
  })
})

describe('an invoice that was not printed', () => {
  const failed = {
    shipmentId: 'shipment-1',
    reference: 'EXPORT-1',
    printer: null,
    error: appError('printer-unreachable'),
  }

  it('is reported with its reference until the operator acknowledges it', () => {
    const { emit, customs } = makeStores()
    emit('invoicePrinted', failed)
    emit('invoicePrinted', { ...failed, shipmentId: 'shipment-2', printer: 'laser', error: null })
    expect(customs.getState()).toMatchObject({ unprinted: [{ reference: 'EXPORT-1' }], error: null })
    customs.getState().dismissUnprinted('shipment-1')
    expect(customs.getState().unprinted).toEqual([])
  })

  it('is still reported after another one was not printed, and not any more once it is', () => {
    const { emit, customs } = makeStores()
    const references = () => customs.getState().unprinted.map(({ reference }) => reference)
    emit('invoicePrinted', failed)
    emit('invoicePrinted', { ...failed, shipmentId: 'shipment-2', reference: 'EXPORT-2' })
    emit('invoicePrinted', failed)
    expect(references()).toEqual(['EXPORT-2', 'EXPORT-1'])
    customs.getState().dismissUnprinted('shipment-1')
    expect(references()).toEqual(['EXPORT-2'])
    emit('invoicePrinted', { ...failed, shipmentId: 'shipment-2', printer: 'laser', error: null })
    expect(references()).toEqual([])
  })
})

describe('a failed product look-up', () => {
  it('leaves no error for the next parcel', async () => {
    const { bridge, ship, customs } = makeStores()
    bridge.findProduct = async () => err(appError('internal'))
    customs.getState().turn(true)
    await customs.getState().scan('B1')
    expect(customs.getState().error).toMatchObject({ code: 'internal' })
    ship.getState().clear()
    expect(customs.getState().error).toBeNull()
  })
})

describe('the items of orders in one parcel', () => {
  const goods = (sku: string, more: Record<string, string> = {}) => ({
    ...{
      sku,
      name: `Product ${sku}`,
      quantity: '1',
      price: '3',
      weight: '',
      hsCode: '',
      countryOfOrigin: '',
    },
    ...more,
  })

  it('become the lines of the customs block: equal products merged, gaps filled from the catalogue', async () => {
    const { bridge, ship, customs } = makeStores()
    bridge.findProduct = async ({ code }) => ok(code === 'B1' ? book : null)
    const order = {
      id: '5f3c1c52-58a5-4a0e-9d7e-3a1d3b1c0001',
      ...{ state: 'to-ship' as const, values: { reference: 'A' }, issues: [], rule: null },
      items: [goods('B1', { quantity: '2' }), goods('C1')],
      source: { kind: 'file' as const, name: 'orders.csv', line: 2 },
      origin: 'file' as const,
      importedAt: '2026-11-21T09:00:00.000Z',
      ...{ orderDate: null, shipmentId: null, skippedReason: null, skippedBy: null },
    }
    const { form } = ship.getState()
    ship.setState({
      order,
      combined: { references: ['B'], items: [goods('B1')], before: form, after: form },
    })
    customs.getState().turn(true)
    await expect.poll(() => customs.getState().form.items[0]?.hsCode).toBe('490199')
    expect(customs.getState().form.items).toMatchObject([
      { productCode: 'B1', quantity: '3', itemPrice: '3', weight: '0.4' },
      { productCode: 'C1', quantity: '1', hsCode: '' },
    ])
  })

  /** Stores with an order of two parcels' goods, whose reference is typed by `typeReference`. */
  function withOrders() {
    const stores = makeStores()
    const { bridge, ship } = stores
    const order = {
      ...methods.getOrder.output.parse(sampleOf(methods.getOrder.output)),
      ...{ state: 'to-ship' as const, issues: [], values: { reference: 'A' }, items: [goods('B1')] },
      ruled: { invoiceTerms: 'DDP' },
    }
    const companion = { order: { ...order, values: { reference: 'B' }, items: [goods('C1')] }, values: {} }
    const found = { order, values: order.values, signatureRequired: null, extras: {}, consigneeKey: 'key' }
    bridge.findOrderToShip = async () => ok({ ...found, companions: [companion] })
    bridge.takeOrder = async () => ok(null)
    async function typeReference() {
      ship.getState().edit({ reference: 'A' })
      ship.getState().leave('reference')
      await expect.poll(() => ship.getState().question).not.toBeNull()
      ship.getState().choose('B', true)
      ship.getState().answerCombining(true)
    }
    return { ...stores, typeReference }
  }

  it.each(['on', 'off'])(
    'become the lines of a customs block that was switched on before, and is %s when their reference is typed',
    async (now) => {
      const { customs, typeReference } = withOrders()
      customs.getState().turn(true)
      if (now === 'off') customs.getState().turn(false)
      await typeReference()
      customs.getState().turn(true)
      expect(customs.getState().form).toMatchObject({
        items: [{ productCode: 'B1' }, { productCode: 'C1' }],
        terms: 'DDP',
      })
    },
  )

  it('leave terms alone that were typed before', async () => {
    const { customs, typeReference } = withOrders()
    customs.getState().turn(true)
    customs.getState().edit({ terms: 'EXW' })
    await typeReference()
    expect(customs.getState().form).toMatchObject({ items: [{ productCode: 'B1' }, {}], terms: 'EXW' })
  })

  it('leave items alone that were typed before', async () => {
    const { customs, typeReference } = withOrders()
    customs.getState().turn(true)
    customs.getState().editItem(customs.getState().form.items[0]?.key ?? '', 'product', 'Cap')
    await typeReference()
    expect(customs.getState().form.items).toMatchObject([{ product: 'Cap' }])
  })
})

describe('the goods of orders that are taken out of the parcel', () => {
  const combine = () => {
    const stores = makeStores()
    const { ship, customs } = stores
    const { form } = ship.getState()
    const item = {
      sku: 'B1',
      name: 'Book',
      quantity: '2',
      price: '3',
      weight: '',
      hsCode: '',
      countryOfOrigin: '',
    }
    const order = methods.getOrder.output.parse(sampleOf(methods.getOrder.output))
    const items = [
      { ...item, quantity: '1' },
      { ...item, sku: 'C1', name: 'Cup' },
    ]
    ship.setState({
      order: { ...order, items: [item] },
      combined: { references: ['B'], items, before: form, after: form },
    })
    customs.getState().turn(true)
    expect(customs.getState().form.items).toMatchObject([{ quantity: '3' }, { productCode: 'C1' }])
    return stores
  }

  it('leave the customs block', async () => {
    const { ship, customs } = combine()
    await expect.poll(() => customs.getState().form.items[0]?.hsCode).toBe('490199')
    ship.getState().splitUp()
    expect(customs.getState()).toMatchObject({ isToBeChecked: false, form: { invoiceNumber: 'INV-00001' } })
    expect(customs.getState().form.items).toMatchObject([{ productCode: 'B1', quantity: '2' }])
  })

  it('stay among items that were changed by hand, which are to be checked until the next parcel', () => {
    const { ship, customs } = combine()
    customs.getState().editItem(customs.getState().form.items[0]?.key ?? '', 'weight', '0.5')
    ship.getState().splitUp()
    expect(customs.getState()).toMatchObject({
      isToBeChecked: true,
      form: { items: [{ quantity: '3', weight: '0.5' }, { productCode: 'C1' }] },
    })
    ship.getState().clear()
    expect(customs.getState().isToBeChecked).toBe(false)
  })

  it('are to be checked once another reference was typed that drops these orders, but not after a scan into the reference', () => {
    const { ship, customs } = combine()
    const before = ship.getState()
    ship.getState().edit({ reference: 'SCANNED' })
    ship.getState().undoTyping(before)
    ship.getState().leave('reference')
    expect(customs.getState().isToBeChecked).toBe(false)
    ship.getState().edit({ reference: 'A-2' })
    expect(customs.getState().isToBeChecked).toBe(false)
    ship.getState().leave('reference')
    expect(customs.getState()).toMatchObject({
      isToBeChecked: true,
      form: { items: [{ quantity: '3' }, { productCode: 'C1' }] },
    })
  })

  it('are not shipped with F9 in the reference, which asks to check the items first, once', async () => {
    const { bridge, ship, customs } = combine()
    const create = vi.fn(bridge.createShipment)
    bridge.createShipment = create
    customs.setState({ read: () => ({ ok: true, customs: invoice }) })
    ship.getState().edit({ ...toForm(sampleDraft()), reference: 'A-2' })
    await ship.getState().submit()
    expect(create).not.toHaveBeenCalled()
    expect(customs.getState().isToBeChecked).toBe(true)
    expect(ship.getState().focus).toEqual({ field: 'customs-item' })
    await ship.getState().submit()
    expect(create).toHaveBeenCalledTimes(1)
  })

  it('are still to be checked after «Undo clear»', () => {
    const { ship, customs } = combine()
    ship.getState().edit({ reference: 'A-2' })
    ship.getState().clear()
    ship.getState().undoClear()
    expect(customs.getState()).toMatchObject({ on: true, isToBeChecked: true })
  })
})

describe('the prices of orders in one parcel', () => {
  const item = {
    ...{ sku: 'B1', name: 'Book', quantity: '1', price: '100', weight: '' },
    ...{ hsCode: '', countryOfOrigin: '' },
  }
  const begin = (currency: string, others: string[] = []) => {
    const { bridge, ship, customs } = makeStores()
    bridge.findProduct = async () => ok(book)
    const { form } = ship.getState()
    ship.setState({
      order: {
        id: '5f3c1c52-58a5-4a0e-9d7e-3a1d3b1c0001',
        ...{ state: 'to-ship', values: { reference: 'A' }, issues: [], rule: null },
        ...{ items: [item, { ...item, sku: 'C1', price: '' }], currency },
        source: { kind: 'file', name: 'orders.csv', line: 2 },
        origin: 'file',
        importedAt: '2026-11-21T09:00:00.000Z',
        ...{ orderDate: null, shipmentId: null, skippedReason: null, skippedBy: null },
        ruled: { invoiceCurrency: 'GBP' },
      },
      combined: {
        references: ['B'],
        items: others.map((other) => ({ ...item, currency: other })),
        before: form,
        after: form,
      },
    })
    customs.getState().turn(true)
    return { ship, customs }
  }
  const prices = ({ customs }: ReturnType<typeof begin>) =>
    customs.getState().form.items.map(({ itemPrice }) => itemPrice)

  it('set the currency for this parcel only, and catalogue prices are not used', async () => {
    const stores = begin('USD', ['USD'])
    const { ship, customs } = stores
    expect(customs.getState()).toMatchObject({ form: { currency: 'USD' }, pricesLeftOut: false })
    await expect.poll(() => customs.getState().form.items[1]?.hsCode).toBe('490199')
    expect(prices(stores)).toEqual(['100', ''])
    ship.getState().clear()
    expect(customs.getState().form.currency).toBe('EUR')
  })

  it.each([
    ['USD', ['EUR']],
    ['USD', ['']],
    ['DOLLARS', []],
  ])('are left out when they are in %s and %j', async (currency, others) => {
    const stores = begin(currency, others)
    await expect.poll(() => stores.customs.getState().form.items[0]?.hsCode).toBe('490199')
    expect(prices(stores)).toEqual(['', ''])
    expect(stores.customs.getState()).toMatchObject({ form: { currency: 'GBP' }, pricesLeftOut: true })
    stores.ship.getState().clear()
    expect(stores.customs.getState()).toMatchObject({ form: { currency: 'EUR' }, pricesLeftOut: false })
  })

  it('are those of the remaining order when the others are taken out, and typed terms stay', () => {
    const stores = begin('USD', ['CHF'])
    const { ship, customs } = stores
    expect(customs.getState().form).toMatchObject({ currency: 'GBP', items: [{}, {}] })
    customs.getState().edit({ terms: 'DDP' })
    ship.getState().splitUp()
    expect(customs.getState()).toMatchObject({
      form: { currency: 'USD', terms: 'DDP' },
      ...{ pricesLeftOut: false, isToBeChecked: false },
    })
    expect(prices(stores)).toEqual(['100', ''])
    ship.getState().clear()
    expect(customs.getState().form.currency).toBe('EUR')
  })

  it('use the currency of the block when no order names one', () => {
    const stores = begin('')
    expect(prices(stores)[0]).toBe('100')
    expect(stores.customs.getState().form.currency).toBe('GBP')
  })
})

describe('the invoice date', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is the day on which the block is switched on, not the day on which the form was made', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 10, 26, 23, 50) })
    const { ship, customs } = makeStores()
    vi.setSystemTime(new Date(2026, 10, 27, 0, 10))
    ship.getState().clear()
    expect(ship.getState().cleared).toBeNull()
    customs.getState().turn(true)
    expect(customs.getState().form.invoiceDate).toBe('2026-11-27')
  })

  it('stays as typed when the block is switched off and on', () => {
    const { customs } = makeStores()
    customs.getState().turn(true)
    customs.getState().edit({ invoiceDate: '2026-12-01' })
    customs.getState().turn(false)
    customs.getState().turn(true)
    expect(customs.getState().form.invoiceDate).toBe('2026-12-01')
  })
})

it.each([
  ['', () => undefined],
  [
    ', also after «Undo clear»',
    ({ ship }: ReturnType<typeof makeStores>) => {
      ship.getState().clear()
      ship.getState().undoClear()
    },
  ],
])(
  'the customs block starts with the values of the order’s rule, which do not carry over to the next parcel%s',
  (_when, interrupt) => {
    const stores = makeStores()
    const { ship, customs } = stores
    customs.getState().edit({ terms: 'DDP', currency: 'USD' })
    ship.setState({
      order: {
        id: '5f3c1c52-58a5-4a0e-9d7e-3a1d3b1c0001',
        ...{ state: 'to-ship', values: { reference: 'A' }, items: [], issues: [], rule: 'Gifts' },
        ruled: { invoiceTerms: 'DAP', invoiceReason: 'Gift' },
        source: { kind: 'file', name: 'orders.csv', line: 2 },
        origin: 'file',
        importedAt: '2026-11-21T09:00:00.000Z',
        ...{ orderDate: null, shipmentId: null, skippedReason: null, skippedBy: null },
      },
    })
    customs.getState().turn(true)
    interrupt(stores)
    expect(customs.getState().form).toMatchObject({ terms: 'DAP', currency: 'USD', reason: 'Gift' })
    ship.getState().clear()
    customs.getState().turn(true)
    expect(customs.getState().form).toMatchObject({ terms: 'DDP', currency: 'USD', reason: '' })
  },
)
