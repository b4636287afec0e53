import type { TFunction } from 'i18next'

/** The printers as options of a select; a chosen printer that the station does not have stays visible. */
export function listPrinterChoices(
  t: TFunction,
  printers: readonly { id: string; name?: string }[],
  chosen: string,
) {
  const choices = printers.map(({ id, name }) => ({ value: id, label: name || id }))
  const isKnown = chosen === '' || choices.some(({ value }) => value === chosen)
  return isKnown
    ? choices
    : [...choices, { value: chosen, label: t('rulesTab.printerUnknown', { printer: chosen }) }]
}
