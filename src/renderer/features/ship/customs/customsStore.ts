import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient, EventPayload } from '../../../../shared/bridge'
import {
  type Customs,
  type CustomsParty,
  needsCustomsDecision,
  type SenderProfile,
} from '../../../../shared/customs'
import type { AppError } from '../../../../shared/errors'
import { toResult } from '../../../bridge'
import { today } from '../../../ui/days'
import { readNumber } from '../../../ui/fieldValues'
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

/** An invoice that did not come out of its printer, and why. */
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
  /** A scanned code that the catalogue does not have. */
  unknownCode: string | null
  /** Whether the orders' prices were left out: they are in several currencies, or in one that is none. */
  pricesLeftOut: boolean
  error: AppError | null
  /** The last invoice that did not come out with its label. */
  unprinted: UnprintedInvoice | null

  /** Takes the senders that are stored. */
  applyProfiles: (profiles: SenderProfile[]) => void
  turn: (on: boolean) => void
  edit: (change: Partial<Omit<CustomsForm, 'items'>>) => void
  editItem: (key: string, field: ItemField, text: string) => void
  addItem: () => void
  removeItem: (key: string) => void
  /** Adds the product of a scanned or typed code; one that is there already counts one more. */
  scan: (code: string) => Promise<void>
  /** Fills an item from the catalogue, when its code is in there and the rest is empty. */
  complete: (key: string) => Promise<void>
  /** The customs data for a shipment; `customs` is undefined while the block is off. */
  read: (consignee: DraftForm) => { ok: true; customs: Customs | undefined } | { ok: false }
  /** Whether the block is off though where the parcel goes customs data are usual, or may be asked for. */
  isMissing: (consignee: Pick<DraftForm, 'country' | 'postalCode'>) => boolean
  /** Starts anew for the next parcel; gives what was typed, null when nothing was. */
  finish: () => TypedCustoms | null
  /**
   * Fills the block in as an earlier shipment had it.
   * @param isNew whether it becomes another invoice, with a number and a date of its own
   */
  takeOver: (customs: Customs, isNew: boolean) => void
  /** Puts back what `finish` gave. */
  bringBack: (typed: TypedCustoms) => void
  applyInvoice: (invoice: EventPayload<'invoicePrinted'>) => void
  /** The operator has seen that an invoice did not come out. */
  dismissUnprinted: () => void
}

/** Where parcels are sent from; without a sender where the service is used most: the Netherlands. */
export function sendingCountry({ profiles, form }: Pick<CustomsState, 'profiles' | 'form'>): string {
  return profiles.find(({ id }) => id === form.senderId)?.party.country ?? 'NL'
}

/** What a rule may begin the block with. */
export type CustomsDefaults = Partial<Pick<CustomsForm, 'terms' | 'currency' | 'reason'>>

/** What the operator put into the block. */
export type TypedCustoms = Pick<CustomsState, 'on' | 'form' | 'unknownCode'>

export type CustomsStore = StoreApi<CustomsState>

function blankForm(previous?: CustomsForm): CustomsForm {
  return {
    invoiceNumber: '',
    invoiceDate: today(),
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

/** What a parcel's orders and their rule may begin the block with. */
const begunFields = ['terms', 'currency', 'reason'] as const

function withoutGaps(item: ItemForm, known: ItemForm): ItemForm {
  return {
    ...item,
    hsCode: item.hsCode || known.hsCode,
    countryOfOrigin: item.countryOfOrigin || known.countryOfOrigin,
    weight: item.weight || known.weight,
    itemPrice: item.itemPrice || known.itemPrice,
  }
}

function isTyped({ on, form }: TypedCustoms): boolean {
  return on || JSON.stringify(form) !== JSON.stringify(blankForm(form))
}

/**
 * The customs block of the Ship screen. What is the same for most parcels stays from one to the next.
 * @param beginEdit asked before each change by the operator; false keeps it from being made
 * @param ordered what the orders of the parcel say of their goods, and what their rule says besides: a block begins with it
 */
export function createCustomsStore(
  bridge: BridgeClient,
  newId: () => string,
  beginEdit: () => boolean,
  ordered: () => { goods: readonly OrderedItem[]; defaults: CustomsDefaults },
): CustomsStore {
  return createStore<CustomsState>((set, get) => {
    /** What stays from one parcel to the next, as long as an order's rule says otherwise; null while none does. */
    let usual: CustomsDefaults | null = null
    const sender = (): CustomsParty | undefined =>
      get().profiles.find((profile) => profile.id === get().form.senderId)?.party
    const setItems = (items: CustomsForm['items']) => set({ form: { ...get().form, items } })

    async function suggestNumber(): Promise<void> {
      const suggested = await toResult(bridge.suggestInvoiceNumber(undefined))
      const { on, form } = get()
      if (suggested.ok && on && form.invoiceNumber === '')
        set({ form: { ...form, invoiceNumber: suggested.value } })
    }

    /** What the catalogue knows of a product and its order does not say. */
    async function fillGaps(key: string, withPrice: boolean): Promise<void> {
      const item = get().form.items.find((each) => each.key === key)
      if (item === undefined || item.productCode === '') return
      const found = await toResult(bridge.findProduct({ code: item.productCode }))
      if (!found.ok || found.value === null) return
      const known = { ...toItem(key, found.value), ...(!withPrice && { itemPrice: '' }) }
      setItems(get().form.items.map((each) => (each.key === key ? withoutGaps(each, known) : each)))
    }

    function beginWithOrders(form: CustomsForm): void {
      const { goods, defaults } = ordered()
      const currency = findCurrency(goods)
      // What the orders say themselves wins over their rule.
      const begun = { ...form, ...defaults, ...(currency ? { currency } : {}) }
      const { terms, reason } = form
      const isOther = begunFields.some((field) => begun[field] !== form[field])
      if (isOther) usual ??= { terms, currency: form.currency, reason }
      const read = currency === undefined ? goods.map((item) => ({ ...item, price: '' })) : goods
      const items = toItems(read, newId)
      set({
        form: { ...begun, items: items.length > 0 ? items : [blankItem(newId())] },
        pricesLeftOut: currency === undefined,
      })
      // The catalogue's prices are in the currency that is usual here.
      const withPrice = currency !== undefined && begun.currency === (usual ?? form).currency
      for (const { key } of items) void fillGaps(key, withPrice)
    }

    return {
      on: false,
      form: blankForm(),
      issues: {},
      profiles: [],
      unknownCode: null,
      pricesLeftOut: false,
      error: null,
      unprinted: null,

      applyProfiles(profiles) {
        const { form } = get()
        const known = profiles.some((profile) => profile.id === form.senderId)
        const [only] = profiles
        set({ profiles, form: { ...form, senderId: known ? form.senderId : (only?.id ?? '') } })
      },
      turn(on) {
        if (!beginEdit()) return
        set({ on, issues: {}, error: null })
        if (!on) return
        const { form } = get()
        if (form.items.length === 0) beginWithOrders(form)
        void suggestNumber()
      },
      edit(change) {
        if (!beginEdit()) return
        set({ form: { ...get().form, ...change }, issues: {} })
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
        // The answer came after the form was cleared: the product belongs to no other parcel.
        if (!get().on || !beginEdit()) return
        const { items } = get().form
        const untouched = (item: (typeof items)[number]) => item.productCode === '' && item.product === ''
        const there = items.find((item) => item.productCode.toLowerCase() === wanted.toLowerCase())
        set({ unknownCode: found.value === null ? wanted : null, error: null })
        if (there) {
          get().editItem(there.key, 'quantity', String((readNumber(there.quantity) || 0) + 1))
        } else if (found.value !== null) {
          setItems([...items.filter((item) => !untouched(item)), toItem(newId(), found.value)])
        }
      },
      async complete(key) {
        const item = get().form.items.find((each) => each.key === key)
        if (!item || item.productCode.trim() === '' || item.product !== '') return
        const found = await toResult(bridge.findProduct({ code: item.productCode }))
        const product = found.ok ? found.value : null
        const still = get().form.items.some((each) => each.key === key)
        if (product === null || !still || !beginEdit()) return
        setItems(
          get().form.items.map((each) =>
            each.key === key ? { ...toItem(key, product), quantity: each.quantity } : each,
          ),
        )
      },
      read(consignee) {
        if (!get().on) return { ok: true, customs: undefined }
        const read = readCustoms(get().form, consignee, sender())
        set({ issues: read.ok ? {} : read.issues })
        return read
      },
      isMissing: (consignee) => !get().on && needsCustomsDecision(sendingCountry(get()), consignee),
      finish() {
        const { on, form, unknownCode } = get()
        // What a rule said of one parcel is not the next one's.
        const next = usual === null ? form : { ...form, ...usual }
        usual = null
        set({
          on: false,
          form: blankForm(next),
          issues: {},
          unknownCode: null,
          pricesLeftOut: false,
          error: null,
        })
        const typed = { on, form, unknownCode }
        return isTyped(typed) ? typed : null
      },
      takeOver(customs, isNew) {
        const { invoiceNumber, invoiceDate } = blankForm()
        const { profiles } = get()
        const form = toCustomsForm(customs, profiles, newId)
        set({
          on: true,
          form: isNew ? { ...form, invoiceNumber, invoiceDate } : form,
          pricesLeftOut: false,
          issues: {},
          error: null,
        })
        if (isNew) void suggestNumber()
      },
      bringBack(typed) {
        set({ ...typed, issues: {}, pricesLeftOut: false })
      },
      applyInvoice({ shipmentId, reference, error }) {
        if (error !== null) set({ unprinted: { shipmentId, reference, error } })
      },
      dismissUnprinted: () => set({ unprinted: null }),
    }
  })
}
