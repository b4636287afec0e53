import { expect, it } from 'vitest'
import { restoreDraft } from '../../../src/renderer/features/ship/keptDraft'
import { appError } from '../../../src/shared/errors'
import { orderSchema } from '../../../src/shared/orders'
import { err, ok } from '../../../src/shared/result'
import { createFakeBridge } from '../../support/fakeBridge'
import { sampleOf } from '../../support/sampleOf'
import { openWindow } from './openWindow'

/** The stores of a window, and main's latest copy of the draft. */
function window() {
  const fake = createFakeBridge()
  fake.bridge.suggestInvoiceNumber = async () => ok('INV-00001')
  const kept: (string | null)[] = []
  fake.bridge.keepDraft = async ({ draft }) => {
    kept.push(draft)
    return ok(undefined)
  }
  return { fake, ...openWindow(fake), kept }
}

it('the window sends each change of the draft to main, and nothing for an empty form', async () => {
  const { ship, customs, kept } = window()
  await Promise.resolve()
  ship.getState().edit({ reference: 'ORDER-1' })
  ship.getState().edit({ lastName: 'de Vries' })
  await expect.poll(() => kept.at(-1)).toContain('de Vries')
  customs.getState().turn(true)
  await expect.poll(() => kept.at(-1)).toContain('"on":true')
  customs.getState().turn(false)
  ship.getState().clear()
  await expect.poll(() => kept.at(-1)).toBeNull()
})

it('the window restores the draft, the customs block, kept codes and a chosen carrier option after the page crashed', async () => {
  const before = window()
  await Promise.resolve()
  before.ship.getState().edit({ reference: 'ORDER-1', lastName: 'de Vries', weight: '2,5', carrier: '14:51' })
  before.ship.getState().keep('ORDER-2', true)
  before.customs.getState().turn(true)
  before.customs.getState().edit({ reason: 'Gift' })
  before.customs.setState({
    usual: { terms: 'DDP', currency: 'USD', reason: '', senderId: '' },
    isToBeChecked: true,
  })
  await expect.poll(() => before.kept.at(-1)).toContain('Gift')

  const after = window()
  after.fake.bridge.takeDraft = async () => ok(before.kept.at(-1) ?? null)
  await restoreDraft({ bridge: after.fake.bridge, ship: after.ship, customs: after.customs })
  expect(after.ship.getState()).toMatchObject({
    form: { reference: 'ORDER-1', lastName: 'de Vries', weight: '2,5' },
    weighed: 'typed',
    kept: [{ code: 'ORDER-2', isScanned: true }],
  })
  expect(after.customs.getState()).toMatchObject({ on: true, isToBeChecked: true, form: { reason: 'Gift' } })
  after.ship.getState().clear()
  expect(after.ship.getState().form.carrier).toBe('14:51')
  expect(after.customs.getState().form).toMatchObject({ terms: 'DDP', currency: 'USD', reason: '' })
})

it('the window restores a parcel of several orders with their goods, its printer and the order before its reference was changed', async () => {
  const before = window()
  await Promise.resolve()
  const item = {
    ...{ sku: 'B1', name: 'Book', quantity: '2', price: '5', weight: '' },
    ...{ hsCode: '', countryOfOrigin: '', currency: 'EUR' },
  }
  const { form } = before.ship.getState()
  const combined = { references: ['B'], items: [item], before: form, after: { ...form, reference2: 'B' } }
  before.ship.getState().edit({ reference: 'A' })
  const source = {
    order: orderSchema.parse(sampleOf(orderSchema)),
    before: { form: { ...form, city: 'Utrecht' }, weighed: 'typed' as const, combined, printer: 'narrow' },
  }
  before.ship.setState({ combined, source, printer: 'wide' })
  await expect.poll(() => before.kept.at(-1)).toContain('wide')

  const after = window()
  after.fake.bridge.takeDraft = async () => ok(before.kept.at(-1) ?? null)
  await restoreDraft({ bridge: after.fake.bridge, ship: after.ship, customs: after.customs })
  expect(after.ship.getState()).toMatchObject({ combined, printer: 'wide' })
  expect(after.ship.getState().source).toEqual(source)
})

it.each(['city', 'content', 'email', 'height'] as const)(
  'the window sends a draft to main in which only the %s was typed',
  async (field) => {
    const { ship, kept } = window()
    await Promise.resolve()
    ship.getState().edit({ [field]: 'typed' })
    await expect.poll(() => kept.at(-1)).toContain('typed')
  },
)

it('the window restores the order as it was when it filled in the form, and takes it again', async () => {
  const before = window()
  await Promise.resolve()
  const order = { ...orderSchema.parse(sampleOf(orderSchema)), fingerprint: 'of the old street' }
  before.ship.setState({ order })
  before.ship.getState().edit({ street: 'Old street' })
  await expect.poll(() => before.kept.at(-1)).toContain('Old street')

  const after = window()
  const taken: string[] = []
  after.fake.bridge.takeOrder = async ({ orderId }) => {
    taken.push(orderId)
    return ok(null)
  }
  after.fake.bridge.takeDraft = async () => ok(before.kept.at(-1) ?? null)
  await restoreDraft({ bridge: after.fake.bridge, ship: after.ship, customs: after.customs })
  const { form, order: broughtBack } = after.ship.getState()
  expect(form.street).toBe('Old street')
  expect(broughtBack).toEqual(order)
  expect(taken).toContain(order.id)
})

it('the window asks about a restored order that another station has by now, and reports one that can’t be taken', async () => {
  const holder = { station: 'Bench 2', operator: null, since: '2026-11-21T10:00:00.000Z', isBatch: false }
  const error = appError('order-not-taken', { reference: 'A' })
  const before = window()
  await Promise.resolve()
  before.ship.setState({ order: orderSchema.parse(sampleOf(orderSchema)) })
  before.ship.getState().edit({ street: 'Old street' })
  await expect.poll(() => before.kept.at(-1)).toContain('Old street')

  const after = window()
  after.fake.bridge.takeDraft = async () => ok(before.kept.at(-1) ?? null)
  after.fake.bridge.takeOrder = async () => ok(holder)
  await restoreDraft({ bridge: after.fake.bridge, ship: after.ship, customs: after.customs })
  expect(after.ship.getState().heldElsewhere).toMatchObject({ holder })
  after.fake.bridge.takeOrder = async () => err(error)
  await after.ship.getState().answerTakeover(true)
  expect(after.ship.getState()).toMatchObject({ form: { street: 'Old street' }, notTaken: error })
})

it('the window starts with an empty form when no draft is stored or it can’t be read', async () => {
  for (const draft of [null, '{', '{"form":1}']) {
    const { fake, ship, customs } = window()
    const { form } = ship.getState()
    fake.bridge.takeDraft = async () => ok(draft)
    await restoreDraft({ bridge: fake.bridge, ship, customs })
    expect(ship.getState().form).toEqual(form)
  }
})
