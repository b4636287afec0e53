import { Button, Group } from '@mantine/core'
import { IconListCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { emptyDraft } from '../../../shared/shipments'
import { useSettings } from '../../bridge'
import { findDefaultCarrier, readCarrierKey } from '../../ui/carrierOptions'
import { useNavigation } from '../../ui/navigation'
import styles from './setup.module.css'

/** Not an order of the list: a batch, or another station of the fleet, would ship it with the others. */
const sample = {
  ...emptyDraft,
  lastName: 'Jansen',
  street: 'Dorpsstraat',
  houseNumber: '1',
  postalCode: '3511 AB',
  city: 'Utrecht',
}

/** The last step: a sample in the Ship form. Nothing is sent until the operator presses F9. */
export function OrderStep() {
  const { t } = useTranslation()
  const { goToSetup: goTo, leaveSetup, shipDraft } = useNavigation((state) => state)
  const settings = useSettings()
  const carrier = settings && (readCarrierKey(findDefaultCarrier(settings)) ?? settings.carriers[0])
  const openSample = ({ carrierId, carrierOptionId }: NonNullable<typeof carrier>) => {
    leaveSetup()
    shipDraft(
      { ...sample, ...settings?.shipmentDefaults, country: 'NL', carrierId, carrierOptionId },
      'again',
    )
  }
  return (
    <div className={styles.wide}>
      <h2 className={styles.heading}>{t('setup.orderTitle')}</h2>
      <p>{t('setup.orderIntro')}</p>
      <Group align="stretch" gap={12} mt={6}>
        {carrier ? (
          <Button
            size="xl"
            leftSection={<IconListCheck size={22} aria-hidden />}
            onClick={() => openSample(carrier)}
          >
            {t('setup.trySample')}
          </Button>
        ) : null}
        <Button variant="default" size="xl" onClick={() => goTo('test')}>
          {t('setup.back')}
        </Button>
        <Button variant="subtle" size="xl" onClick={() => leaveSetup()}>
          {t('setup.finish')}
        </Button>
      </Group>
    </div>
  )
}
