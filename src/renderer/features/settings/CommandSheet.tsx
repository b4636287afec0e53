import { Button, Group } from '@mantine/core'
import { IconDeviceFloppy, IconPrinter } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useBridgeMutation, useSettings } from '../../bridge'
import { Callout, ErrorCallout } from '../../ui/Callout'

/** Saves or prints a sheet with the barcodes of commands. */
export function CommandSheet() {
  const { t } = useTranslation()
  const printers = useSettings((settings) => settings.printers) ?? []
  const save = useBridgeMutation('saveCommandSheet')
  const print = useBridgeMutation('printCommandSheet')
  const error = save.error ?? print.error
  const getName = (printerId: string | undefined) => {
    const printer = printers.find(({ id }) => id === printerId)
    return printer?.name ?? printerId ?? ''
  }
  const isTaken = print.data?.code === 'taken' || print.data?.code === 'written'
  return (
    <>
      <p className="pb-soft">{t('scanner.sheetIntro')}</p>
      <Group gap={10}>
        <Button
          variant="default"
          leftSection={<IconDeviceFloppy size={20} aria-hidden />}
          onClick={() => save.mutate(undefined)}
        >
          {t('scanner.saveSheet')}
        </Button>
        {printers.map(({ id }) => (
          <Button
            key={id}
            variant="default"
            leftSection={<IconPrinter size={20} aria-hidden />}
            loading={print.isPending && print.variables.printerId === id}
            onClick={() => print.mutate({ printerId: id })}
          >
            {t('scanner.printSheet', { printer: getName(id) })}
          </Button>
        ))}
      </Group>
      <div role="status">
        {save.data ? <Callout tone="good">{t('scanner.sheetSaved', { file: save.data })}</Callout> : null}
        {print.data ? (
          <Callout tone={isTaken ? 'good' : 'attention'}>
            {t(isTaken ? 'scanner.sheetTaken' : 'scanner.sheetNotTaken', {
              printer: getName(print.variables?.printerId),
            })}
          </Callout>
        ) : null}
        <ErrorCallout error={error} />
      </div>
    </>
  )
}
