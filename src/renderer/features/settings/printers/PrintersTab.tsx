import { Button, Group, Stack } from '@mantine/core'
import { IconFolder, IconNetwork, IconPrinter } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Printer } from '../../../../shared/printing'
import { useRowFocus } from '../../../ui/useRowFocus'
import styles from '../settings.module.css'
import { SaveBar, useTab } from '../tabForm'
import { newPrinter } from './form'
import { PrinterCard } from './PrinterCard'
import { RememberedRules } from './RememberedRules'
import { RoutingEditor } from './RoutingEditor'

/** The station's printers, and the routing of labels to them. */
export function PrintersTab() {
  const { t } = useTranslation()
  return (
    <div className={`${styles.wide} ${styles.widest}`}>
      <p>{t('printersTab.intro')}</p>
      <PrintersEditor />
      <RoutingEditor fromPrinters={1} />
      <RememberedRules />
      <SaveBar tab={useTab('printers')} />
    </div>
  )
}

/** The list of printers with the buttons that add one, without routing and save button. */
export function PrintersEditor() {
  const { t } = useTranslation()
  const { form, error } = useTab('printers')
  const { printers } = form.values
  const add = (driver: Printer['driver']) => form.insertListItem('printers', newPrinter(driver))
  const holder = useRowFocus<HTMLDivElement>(printers.map(({ id }) => id))
  return (
    <Stack gap={12} ref={holder} data-error={error !== null}>
      {printers.length === 0 ? <p className="pb-soft">{t('printersTab.none')}</p> : null}
      {printers.map((printer, index) => (
        <PrinterCard key={printer.id} printer={printer} index={index} />
      ))}
      <Group align="stretch" gap={10}>
        <Button
          variant="default"
          leftSection={<IconPrinter size={20} aria-hidden />}
          onClick={() => add('system')}
        >
          {t('printersTab.addSystem')}
        </Button>
        <Button
          variant="default"
          leftSection={<IconNetwork size={20} aria-hidden />}
          onClick={() => add('socket')}
        >
          {t('printersTab.addSocket')}
        </Button>
        <Button
          variant="default"
          leftSection={<IconFolder size={20} aria-hidden />}
          onClick={() => add('folder')}
        >
          {t('printersTab.addFolder')}
        </Button>
      </Group>
    </Stack>
  )
}
