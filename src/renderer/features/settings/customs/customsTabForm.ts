import { customsSettingsSchema } from '../../../../shared/settings'
import { faultsByPath } from '../../../ui/faults'
import type { TabForm } from '../tabStore'

/** The invoices' settings as typed. */
export interface CustomsValues {
  documentPrinter: string
  printInvoice: string
  invoiceLanguage: string
  invoicePrefix: string
}

/** The customs tab: where and when invoices are printed. */
export const customsTabForm: TabForm<CustomsValues> = {
  fromSettings: ({ customs }) => ({ ...customs, documentPrinter: customs.documentPrinter ?? '' }),
  toChange(values) {
    const parsed = customsSettingsSchema.safeParse({
      ...values,
      documentPrinter: values.documentPrinter === '' ? null : values.documentPrinter,
    })
    return parsed.success
      ? { ok: true, change: { customs: parsed.data } }
      : { ok: false, faults: faultsByPath(parsed.error) }
  },
}
