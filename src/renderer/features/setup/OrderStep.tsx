import { Button } from '@mantine/core'
import { IconListCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppError } from '../../../shared/errors'
import type { Result } from '../../../shared/result'
import { callMain } from '../../bridge'
import { ErrorCallout } from '../../ui/Callout'
import { useNavigation } from '../../ui/navigation'
import styles from './setup.module.css'

/** Imports a sample order without a weight, so that nothing ships it automatically. */
async function importSample(reference: string, fileName: string): Promise<Result<unknown, AppError>> {
  const rows = [
    'Reference;Last name;Street;House number;Postal code;City;Country',
    `${reference};Jansen;Dorpsstraat;1;3511 AB;Utrecht;NL`,
  ]
  const bytes = new TextEncoder().encode(rows.join('\n')).buffer
  const plan = await callMain('readOrderFile', { fileName, bytes, pasted: true })
  if (!plan.ok) return plan
  const { importId, mapping } = plan.value
  return callMain('importOrders', { importId, mapping, onDuplicate: 'skip' })
}

/** The last step: a sample order. Nothing is sent until the operator presses F9. */
export function OrderStep() {
  const { t } = useTranslation()
  const { goToSetup: goTo, leaveSetup, shipOrder } = useNavigation((state) => state)
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<AppError | null>(null)
  const trySample = async () => {
    setIsBusy(true)
    // A new reference each time: a sample that was shipped or skipped can't start again.
    const reference = `SAMPLE-${Date.now().toString(36).toUpperCase()}`
    const imported = await importSample(reference, t('setup.sampleFile'))
    setIsBusy(false)
    if (!imported.ok) {
      setError(imported.error)
      return
    }
    leaveSetup()
    shipOrder(reference)
  }
  return (
    <div className={styles.wide}>
      <h2 className={styles.heading}>{t('setup.orderTitle')}</h2>
      <p>{t('setup.orderIntro')}</p>
      {error ? <ErrorCallout error={error} /> : null}
      <div className={styles.actions}>
        <Button
          size="xl"
          loading={isBusy}
          leftSection={<IconListCheck size={22} aria-hidden />}
          onClick={() => void trySample()}
        >
          {t('setup.trySample')}
        </Button>
        <Button variant="default" size="xl" onClick={() => goTo('test')}>
          {t('setup.back')}
        </Button>
        <Button variant="subtle" size="xl" onClick={() => leaveSetup()}>
          {t('setup.finish')}
        </Button>
      </div>
    </div>
  )
}
