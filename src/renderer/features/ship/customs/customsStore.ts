import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient, EventPayload } from '../../../../shared/bridge'
import {
  type Customs,
  type CustomsParty,
  defaultSendingCountry,
  needsCustomsDecision,
  type Product,
  type SenderProfile,
} from '../../../../shared/customs'
import type { AppError } from '../../../../shared/errors'
import { readNumber } from '../../../../shared/fields'
import { toResult } from '../../../bridge'
import { today } from '../../../ui/days'
import type { ValidationIssue } from '../../../ui/validation'
import type { DraftForm } from '../form'
import {
  blankItem,
  type CustomsForm,
  findCurrency,
  type ItemField,
  type ItemForm,
  type OrderedItem,
  readCustoms,
  toCustomsForm,
  toItem,
  toItems,
} from './form'

/** An invoice that was not printed, and why. */
export interface UnprintedInvoice {
  shipmentId: string
  reference: string
  error: AppError
}

export interface CustomsState {
  on: boolean
  form: CustomsForm
  issues: Record<string, ValidationIssue>
  profiles: SenderProfile[]
  /** A scanned code that is not in the catalogue. */
  unknownCode: string | null
  /** Whether the orders' prices were left out, because they have several currencies or an invalid one. */
  pricesLeftOut: boolean
  /** Whether the items are the goods of the parcel's orders, and nobody has changed them since. */
  areItemsOrdered: boolean
  /** Whether orders were removed from the parcel whose goods may still be among the items. */
  isToBeChecked: boolean
  error: AppError | null
  /** Invoices that were not printed with their labels, the newest last. */
  unprinted: readonly UnprintedInvoice[]
  /**
   * The values to carry over while those of an order, its rule or an earlier shipment override them; null while none do. A
   * sender that a person chooses meanwhile is carried over.
   */
  usual: (Required<CustomsDefaults> & Pick<CustomsForm, 'senderId'>) | null

  applyProfiles: (profiles: SenderProfile[]) => void
  turn: (on: boolean) => void
  edit: (change: Partial<Omit<CustomsForm, 'items'>>) => void
  editItem: (key: string, field: ItemField, text: string) => void
  addItem: () => void
  removeItem: (key: string) => void
  /** Adds the product with a scanned or typed code; a repeated code raises the quantity. */
  scan: (code: string) => Promise<void>
  /** Fills the empty fields of an item from the catalogue if its code is listed and its product name is empty. */
  completeItem: (key: string) => Promise<void>
  /** Validates the block; `customs` is undefined while the block is off. */
  read: (consignee: DraftForm) => { ok: true; customs: Customs | undefined } | { ok: false }
  /** Whether the block is off although the destination usually needs customs data, or may. */
  isMissing: (consignee: Pick<DraftForm, 'country' | 'postalCode'>) => boolean
  /**
   * Fills the items with the goods of the parcel's orders again, after orders were removed from it. Items that a person
   * may have changed stay, and are to be checked.
   */
  startItemsAgain: () => void
  /** Fills a block that was switched on before the parcel's orders came, unless a person has changed its items. */
  fillFromOrders: () => void
  /** Asks to check the items, after orders were removed from the parcel whose goods may be among them. */
  askToCheckItems: () => void
  /** Resets the block for the next parcel. Returns the input for `restore`. */
  finish: () => TypedCustoms
  /**
   * Fills the block from an earlier shipment.
   * @param isNew whether the result is a new invoice, with its own number and date
   */
  takeOver: (customs: Customs, isNew: boolean) => void
  /** Restores what `finish` returned. */
  restore: (typed: TypedCustoms) => void
  applyInvoice: (invoice: EventPayload<'invoicePrinted'>) => void
  /** The operator has acknowledged that a shipment's invoice was not printed. */
  dismissUnprinted: (shipmentId: string) => void
}

/** The country that parcels are sent from. */
export function sendingCountry({ profiles, form }: Pick<CustomsState, 'profiles' | 'form'>): string {
  return profiles.find(({ id }) => id === form.senderId)?.party.country ?? defaultSendingCountry
}

/** Initial values that an order's rule may set. */
export type CustomsDefaults = Partial<Pick<CustomsForm, 'terms' | 'currency' | 'reason'>>

/** The operator's input. */
export type TypedCustoms = Pick<CustomsState, 'on' | 'form' | 'unknownCode' | 'usual' | 'isToBeChecked'>

export type CustomsStore = StoreApi<CustomsState>

/** An empty block. It gets its date when it is switched on: the app may run for days. */
function blankForm(previous?: CustomsForm): CustomsForm {
  return {
    invoiceNumber: '',
    invoiceDate: '',
    terms: previous?.terms ?? 'DAP',
    currency: previous?.currency ?? 'EUR',
    reason: previous?.reason ?? '',
    senderId: previous?.senderId ?? '',
    consigneeType: 'N',
    consigneeVat: '',
    consigneeEori: '',
    items: [],
  }
}

/** The state of items that come from no order. */
const noGoods = { pricesLeftOut: false, areItemsOrdered: false, isToBeChecked: false }

/** Fields that a parcel's orders and their rule may preset. */
const presetFields = ['terms', 'currency', 'reason'] as const

function toUsual({ terms, currency, reason, senderId }: CustomsForm): NonNullable<CustomsState['usual']> {
  return { terms, currency, reason, senderId }
}

function fillEmptyFields(item: ItemForm, known: ItemForm): ItemForm {
  return {
    ...item,
    hsCode: item.hsCode || known.hsCode,
    countryOfOrigin: item.countryOfOrigin || known.countryOfOrigin,
    weight: item.weight || known.weight,
    itemPrice: item.itemPrice || known.itemPrice,
  }
}

/** Whether anything was typed into the block, or it is on. */
export function hasCustomsInput({ on, form }: Pick<CustomsState, 'on' | 'form'>): boolean {
  return on || JSON.stringify(form) !== JSON.stringify(blankForm(form))
}

/**
 * The customs block of the Ship screen. Terms, currency, reason and sender carry over from one parcel to the next.
 * @param beginEdit called before each change by the operator; false prevents the change
 * @param ordered goods of the parcel's orders and presets of their rule, with which a block starts
 */
export function createCustomsStore(
  bridge: BridgeClient,
  newId: () => string,
  beginEdit: () => boolean,
  ordered: () => { goods: readonly OrderedItem[]; defaults: CustomsDefaults },
): CustomsStore {
  return createStore<CustomsState>((set, get) => {
    /** What a person has typed into this parcel's block of the fields that its orders' rule may preset. */
    let typed: CustomsDefaults = {}
    const sender = (): CustomsParty | undefined =>
      get().profiles.find((profile) => profile.id === get().form.senderId)?.party
    /** Sets items that a person has changed. */
    const setItems = (items: CustomsForm['items']) =>
      set({ form: { ...get().form, items }, areItemsOrdered: false })

    async function suggestNumber(): Promise<void> {
      const suggested = await toResult(bridge.suggestInvoiceNumber(undefined))
      const { on, form } = get()
      if (!on || form.invoiceNumber !== '') return
      if (suggested.ok) set({ form: { ...form, invoiceNumber: suggested.value } })
      else set({ error: suggested.error })
    }

    /** An item for a product. The catalogue's prices are in the station's usual currency. */
    function toPricedItem(key: string, product: Product): ItemForm {
      const { form, usual } = get()
      const isUsual = usual === null || form.currency === usual.currency
      return { ...toItem(key, product), ...(!isUsual && { itemPrice: '' }) }
    }

    /** Fills in from the catalogue what the order does not say of a product. */
    async function fillFromCatalogue(key: string, withPrice: boolean): Promise<void> {
      const item = get().form.items.find((each) => each.key === key)
      if (item === undefined || item.productCode === '') return
      const found = await toResult(bridge.findProduct({ code: item.productCode }))
      if (!found.ok || found.value === null) return
      const known = { ...toItem(key, found.value), ...(!withPrice && { itemPrice: '' }) }
      const { form } = get()
      const items = form.items.map((each) => (each.key === key ? fillEmptyFields(each, known) : each))
      set({ form: { ...form, items } })
    }

    function presetFromOrders(form: CustomsForm): void {
      const { goods, defaults } = ordered()
      const currency = findCurrency(goods)
      // The order's own values take precedence over its rule, and so does what a person has typed.
      const preset = { ...form, ...defaults, ...typed, ...(currency ? { currency } : {}) }
      const isOverridden = presetFields.some((field) => preset[field] !== form[field])
      const usual = get().usual ?? (isOverridden ? toUsual(form) : null)
      const read = currency === undefined ? goods.map((item) => ({ ...item, price: '' })) : goods
      const items = toItems(read, newId)
      set({
        form: { ...preset, items: items.length > 0 ? items : [blankItem(newId())] },
        pricesLeftOut: currency === undefined,
        areItemsOrdered: true,
        isToBeChecked: false,
        usual,
      })
      // The catalogue's prices are in the station's usual currency.
      const withPrice = currency !== undefined && preset.currency === (usual ?? form).currency
      for (const { key } of items) void fillFromCatalogue(key, withPrice)
    }

    return {
      on: false,
      form: blankForm(),
      issues: {},
      profiles: [],
      unknownCode: null,
      ...noGoods,
      error: null,
      unprinted: [],
      usual: null,

      applyProfiles(profiles) {
        const { form, usual } = get()
        const toKnown = (id: string) =>
          (profiles.find((profile) => profile.id === id) ?? profiles[0])?.id ?? ''
        // The sender of an earlier shipment is no profile: a person chooses.
        const isOpen = form.senderId === '' && usual !== null && usual.senderId !== ''
        set({
          profiles,
          form: { ...form, senderId: isOpen ? '' : toKnown(form.senderId) },
          usual: usual && { ...usual, senderId: toKnown(usual.senderId) },
        })
      },
      turn(on) {
        if (!beginEdit()) return
        set({ on, issues: {}, error: null })
        if (!on) return
        const form = { ...get().form, invoiceDate: get().form.invoiceDate || today() }
        set({ form })
        if (form.items.length === 0) {
          typed = {}
          presetFromOrders(form)
        }
        void suggestNumber()
      },
      edit(change) {
        if (!beginEdit()) return
        const { form, usual } = get()
        const { senderId = usual?.senderId ?? '' } = change
        for (const field of presetFields) if (field in change) typed = { ...typed, [field]: change[field] }
        set({ form: { ...form, ...change }, usual: usual && { ...usual, senderId }, issues: {} })
      },
      editItem(key, field, text) {
        if (!beginEdit()) return
        setItems(get().form.items.map((item) => (item.key === key ? { ...item, [field]: text } : item)))
        set({ issues: {} })
      },
      addItem() {
        if (beginEdit()) setItems([...get().form.items, blankItem(newId())])
      },
      removeItem(key) {
        if (beginEdit()) setItems(get().form.items.filter((item) => item.key !== key))
      },
      async scan(code) {
        const wanted = code.trim()
        if (wanted === '') return
        const found = await toResult(bridge.findProduct({ code: wanted }))
        if (!found.ok) {
          set({ error: found.error })
          return
        }
        // The answer may arrive after the form was cleared; the product must not go to another parcel.
        if (!get().on || !beginEdit()) return
        const { items } = get().form
        const untouched = (item: (typeof items)[number]) => item.productCode === '' && item.product === ''
        const there = items.find((item) => item.productCode.toLowerCase() === wanted.toLowerCase())
        set({ unknownCode: found.value === null ? wanted : null, error: null })
        if (there) {
          get().editItem(there.key, 'quantity', String((readNumber(there.quantity) || 0) + 1))
        } else if (found.value !== null) {
          setItems([...items.filter((item) => !untouched(item)), toPricedItem(newId(), found.value)])
        }
      },
      async completeItem(key) {
        const item = get().form.items.find((each) => each.key === key)
        if (!item || item.productCode.trim() === '' || item.product !== '') return
        const found = await toResult(bridge.findProduct({ code: item.productCode }))
        const product = found.ok ? found.value : null
        const now = get().form.items.find((each) => each.key === key)
        if (product === null || now?.productCode !== item.productCode || now.product !== '') return
        if (!beginEdit()) return
        const known = toPricedItem(key, product)
        const { productCode, product: name } = known
        const filled = { ...fillEmptyFields(now, known), productCode, product: name }
        setItems(get().form.items.map((each) => (each.key === key ? filled : each)))
      },
      read(consignee) {
        if (!get().on) return { ok: true, customs: undefined }
        const read = readCustoms(get().form, consignee, sender())
        set({ issues: read.ok ? {} : read.issues })
        return read
      },
      isMissing: (consignee) => !get().on && needsCustomsDecision(sendingCountry(get()), consignee),
      startItemsAgain() {
        const { form, usual, areItemsOrdered, askToCheckItems } = get()
        if (form.items.length === 0) return
        if (!areItemsOrdered) {
          askToCheckItems()
          return
        }
        // The currency may be that of a removed order. Terms and reason are not, and may have been typed.
        presetFromOrders({ ...form, currency: (usual ?? form).currency })
        set({ form: { ...get().form, terms: form.terms, reason: form.reason }, issues: {} })
      },
      fillFromOrders() {
        const { form, areItemsOrdered } = get()
        if (form.items.length > 0 && areItemsOrdered) presetFromOrders(form)
      },
      askToCheckItems: () => set({ isToBeChecked: get().form.items.length > 0 }),
      finish() {
        const { on, form, unknownCode, usual, isToBeChecked } = get()
        // A rule's values apply to one parcel only.
        const next = usual === null ? form : { ...form, ...usual }
        set({
          on: false,
          form: blankForm(next),
          issues: {},
          unknownCode: null,
          ...noGoods,
          error: null,
          usual: null,
        })
        return { on, form, unknownCode, usual, isToBeChecked }
      },
      takeOver(customs, isNew) {
        const { profiles, form: previous, usual } = get()
        const form = toCustomsForm(customs, profiles, newId)
        typed = {}
        set({
          on: true,
          form: isNew ? { ...form, invoiceNumber: '', invoiceDate: today() } : form,
          usual: usual ?? toUsual(previous),
          ...noGoods,
          issues: {},
          error: null,
        })
        if (isNew) void suggestNumber()
      },
      restore(kept) {
        typed = {}
        set({ ...noGoods, ...kept, issues: {} })
      },
      applyInvoice({ shipmentId, reference, error }) {
        get().dismissUnprinted(shipmentId)
        if (error !== null) set({ unprinted: [...get().unprinted, { shipmentId, reference, error }] })
      },
      dismissUnprinted: (shipmentId) =>
        set({ unprinted: get().unprinted.filter((each) => each.shipmentId !== shipmentId) }),
    }
  })
}
