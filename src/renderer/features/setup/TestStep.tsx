import { Button, Group } from '@mantine/core'
import { IconRulerMeasure } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { BusyButton } from '../../ui/BusyButton'
import { useNavigation } from '../../ui/navigation'
import type { PrinterRow } from '../settings/printers/form'
import { PrinterAnswer } from '../settings/printers/PrinterTools'
import { StockSize } from '../settings/printers/StockFields'
import { TestVerdictPart } from '../settings/printers/TestVerdict'
import { usePrinterTools } from '../settings/printers/tools'
import { useTab } from '../settings/tabForm'
import { StepFooter } from './StepFooter'
import styles from './setup.module.css'

/** Sets the stock of each printer and prints a test label; the operator reports the result. */
export function TestStep() {
  const { t } = useTranslation()
  const { goToSetup: goTo, leaveSetup } = useNavigation((state) => state)
  const tab = useTab('printers')
  const { printers } = tab.form.values
  const saveSizes = async () => !tab.isDirty || (await tab.save())
  const leaveFor = async (next: () => void) => {
    if (await saveSizes()) next()
  }
  return (
    <div className={styles.wide}>
      <h2 className={styles.heading}>{t('setup.testTitle')}</h2>
      <p>{t('setup.testIntro')}</p>
      {printers.map((printer, index) => (
        <TestedPrinter key={printer.id} printer={printer} index={index} saveSizes={saveSizes} />
      ))}
      <StepFooter tab={tab} onUnseen={() => goTo('printer')}>
        <Button size="xl" data-next onClick={() => void leaveFor(() => goTo('order'))}>
          {t('setup.next', { step: t('setup.stepOrder') })}
        </Button>
        <Button variant="default" size="xl" onClick={() => goTo('printer')}>
          {t('setup.back')}
        </Button>
        <Button variant="subtle" size="xl" onClick={() => void leaveFor(leaveSetup)}>
          {t('setup.finish')}
        </Button>
      </StepFooter>
    </div>
  )
}

interface TestedPrinterProps {
  printer: PrinterRow
  index: number
  /** Main prints with the saved settings. */
  saveSizes: () => Promise<boolean>
}

function TestedPrinter({ printer, index, saveSizes }: TestedPrinterProps) {
  const { t } = useTranslation()
  const { busy, run } = usePrinterTools(printer.id)
  const name = printer.name || printer.id
  const print = async () => {
    if (await saveSizes()) run({ kind: 'test-label' })
  }
  return (
    <section className={styles.test} aria-label={name}>
      <h3>{name}</h3>
      <Group align="end" gap={12}>
        {printer.driver === 'folder' ? null : <StockSize printer={printer} index={index} />}
        <BusyButton
          variant="default"
          busy={busy}
          data-first={index === 0 || undefined}
          leftSection={<IconRulerMeasure size={20} aria-hidden />}
          onClick={() => void print()}
        >
          {t('printerTools.testLabel')}
        </BusyButton>
      </Group>
      <PrinterAnswer printerId={printer.id} />
      <TestVerdictPart printerId={printer.id} onNoted={focusNext} />
    </section>
  )
}

/** The answer buttons disappear once one was pressed. */
function focusNext(): void {
  document.querySelector<HTMLElement>('[data-next]')?.focus()
}
