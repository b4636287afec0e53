import { Button } from '@mantine/core'
import { IconRulerMeasure } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Callout } from '../../ui/Callout'
import { useNavigation } from '../../ui/navigation'
import { SteadyButton } from '../../ui/SteadyButton'
import { PrinterAnswer } from '../settings/printers/PrinterTools'
import { usePrinterTools } from '../settings/stores'
import { usePrintersTab } from '../settings/tabForm'
import styles from './setup.module.css'

/** A label of each printer to look at and scan before the first parcel needs one; the person says how it came out. */
export function TestStep() {
  const { t } = useTranslation()
  const { goToSetup: goTo, leaveSetup } = useNavigation((state) => state)
  const { printers } = usePrintersTab().form.values
  return (
    <div className={styles.wide}>
      <h2 className={styles.heading}>{t('setup.testTitle')}</h2>
      <p>{t('setup.testIntro')}</p>
      {printers.map(({ id, name }) => (
        <TestedPrinter key={id} id={id} name={name || id} />
      ))}
      <div className={styles.moves}>
        <Button size="xl" onClick={() => goTo('order')}>
          {t('setup.next')}
        </Button>
        <Button variant="default" size="xl" onClick={() => goTo('printer')}>
          {t('setup.back')}
        </Button>
        <Button variant="subtle" size="xl" onClick={() => leaveSetup()}>
          {t('setup.finish')}
        </Button>
      </div>
    </div>
  )
}

function TestedPrinter({ id, name }: { id: string; name: string }) {
  const { t } = useTranslation()
  const goTo = useNavigation((state) => state.goToSetup)
  const { printTestLabel, busy, answers } = usePrinterTools((state) => state)
  const [verdict, setVerdict] = useState<'right' | 'wrong' | null>(null)
  const answer = answers[id]
  const wasPrinted = answer !== undefined && answer.tone !== 'bad'
  return (
    <section className={styles.test} aria-label={name}>
      <h3>{name}</h3>
      <SteadyButton
        variant="default"
        busy={busy[id] === true}
        leftSection={<IconRulerMeasure size={20} aria-hidden />}
        onClick={() => {
          setVerdict(null)
          void printTestLabel(id)
        }}
      >
        {t('printerTools.testLabel')}
      </SteadyButton>
      <PrinterAnswer printerId={id} />
      {wasPrinted && verdict === null ? (
        <fieldset className={styles.verdict}>
          <legend>{t('setup.cameOut')}</legend>
          <Button onClick={() => setVerdict('right')}>{t('setup.right')}</Button>
          <Button variant="default" onClick={() => setVerdict('wrong')}>
            {t('setup.wrong')}
          </Button>
        </fieldset>
      ) : null}
      {verdict === null ? null : (
        <div role="status" className={styles.verdict}>
          {verdict === 'right' ? (
            <Callout tone="good">{t('setup.confirmed')}</Callout>
          ) : (
            <Callout
              tone="attention"
              actions={
                <Button variant="default" onClick={() => goTo('printer')}>
                  {t('setup.correctPrinter')}
                </Button>
              }
            >
              {t('setup.wrongAdvice')}
            </Callout>
          )}
        </div>
      )}
    </section>
  )
}
