import { Button, Group, Modal } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatMoment } from '../../i18n/format'
import { useHolderText } from '../../ui/holderText'
import styles from './ship.module.css'
import type { TakenOrder } from './shipStore'
import { useShip } from './stores'

/** Asks whether an order is taken over that another station has. The answer that costs nothing leaves it there. */
export function TakenDialog() {
  const taken = useShip((state) => state.taken)
  return taken === null ? null : <Question taken={taken} />
}

function Question({ taken: { found, holder } }: { taken: TakenOrder }) {
  const { t, i18n } = useTranslation()
  const answerTaken = useShip((state) => state.answerTaken)
  const holderText = useHolderText()
  return (
    <Modal
      opened
      size={640}
      onClose={() => void answerTaken(false)}
      title={t('sharedOrders.takenTitle', { reference: found.order.values.reference ?? '' })}
      transitionProps={{ duration: 0 }}
    >
      <p className={styles.dialogText}>
        {t('sharedOrders.takenQuestion', {
          holder: holderText(holder),
          time: formatMoment(holder.since, i18n.language),
        })}{' '}
        {holder.isBatch ? t('sharedOrders.takenBatch') : null}
      </p>
      <Group gap={10} mt={20}>
        <Button variant="default" data-autofocus onClick={() => void answerTaken(false)}>
          {t('sharedOrders.leave')}
        </Button>
        <Button variant="default" onClick={() => void answerTaken(true)}>
          {t('sharedOrders.takeOver')}
        </Button>
      </Group>
    </Modal>
  )
}
