import { Button, Checkbox, Group, Modal } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { readNumber } from '../../../shared/fields'
import type { Companion } from '../../../shared/orders'
import { formatMoment, formatNumber } from '../../i18n/format'
import { useHolderText } from '../../ui/holderText'
import { useUnsavedOrders } from '../../ui/unsavedOrders'
import type { CombiningQuestion, OrderHeldElsewhere } from './ordersInForm'
import styles from './ship.module.css'
import { useShip } from './stores'

/** Asks which other orders for the consignee go into the same parcel. The safe answer ships them separately. */
export function CombineDialog() {
  const question = useShip((state) => state.question)
  return question === null ? null : <CombiningDialog question={question} />
}

function CombiningDialog({ question: { lead, chosen } }: { question: CombiningQuestion }) {
  const { t } = useTranslation()
  const { choose, answerCombining } = useShip((state) => state)
  const apart = useRef<HTMLButtonElement>(null)
  const together = useRef<HTMLButtonElement>(null)
  const isChosen = chosen.length > 0
  // A scan ticks an order and moves the focus to the confirm button; ticking with the keyboard leaves the focus
  // alone.
  useEffect(() => {
    if (isChosen && document.activeElement === apart.current) together.current?.focus()
    if (!isChosen && document.activeElement === together.current) apart.current?.focus()
  }, [isChosen])
  const references = lead.companions.map(({ order }) => order.values.reference ?? '')
  const chooseAll = () => {
    for (const reference of references) choose(reference, true)
  }
  return (
    <Modal
      opened
      size={640}
      onClose={() => answerCombining(false)}
      title={t('combine.title', { count: references.length })}
      transitionProps={{ duration: 0 }}
    >
      <form
        onKeyDown={(event) => {
          if (event.key !== 'a' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          chooseAll()
        }}
        onSubmit={(event) => {
          event.preventDefault()
          answerCombining(true)
        }}
      >
        <p className={styles.dialogText}>
          {t('combine.text', { reference: lead.order.values.reference ?? '' })}
        </p>
        <ul className={styles.companions}>
          {lead.companions.map((companion) => {
            const reference = companion.order.values.reference ?? ''
            return (
              <li key={reference}>
                <Checkbox
                  checked={chosen.includes(reference)}
                  onChange={(event) => choose(reference, event.currentTarget.checked)}
                  label={reference}
                  description={<CompanionFacts companion={companion} />}
                />
              </li>
            )
          })}
        </ul>
        <p className="pb-soft">{t('combine.hint')}</p>
        <Group gap={10} mt={20}>
          <Button
            ref={together}
            type="submit"
            disabled={!isChosen}
            {...(isChosen && { 'data-autofocus': true, 'data-safe': true })}
          >
            {t('combine.together', { count: chosen.length + 1 })}
          </Button>
          <Button variant="outline" disabled={chosen.length === references.length} onClick={chooseAll}>
            {t('combine.all')}
          </Button>
          <Button
            ref={apart}
            variant="default"
            {...(!isChosen && { 'data-autofocus': true, 'data-safe': true })}
            onClick={() => answerCombining(false)}
          >
            {t('combine.apart')}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}

function CompanionFacts({ companion: { order, values } }: { companion: Companion }) {
  const { t, i18n } = useTranslation()
  const weight = readNumber(values.weight ?? '')
  const isUnsaved = useUnsavedOrders((orderIds) => orderIds.includes(order.id))
  const goods = order.items.map(({ quantity, name, sku }) => `${quantity || '1'} × ${name || sku}`)
  const facts = [
    ...(isUnsaved ? [t('orders.unsaved')] : []),
    ...(weight > 0 ? [t('combine.weight', { weight: formatNumber(weight, i18n.language) })] : []),
    ...(goods.length > 0 ? goods : values.content ? [values.content] : []),
  ]
  return <>{facts.length > 0 ? facts.join(' · ') : t('combine.noFacts')}</>
}

/** Asks whether to take over an order that another station holds. The safe answer leaves it there. */
export function HeldOrderDialog() {
  const heldElsewhere = useShip((state) => state.heldElsewhere)
  return heldElsewhere === null ? null : <HeldOrderQuestion held={heldElsewhere} />
}

function HeldOrderQuestion({ held: { order, holder } }: { held: OrderHeldElsewhere }) {
  const { t, i18n } = useTranslation()
  const answerTakeover = useShip((state) => state.answerTakeover)
  const holderText = useHolderText()
  return (
    <Modal
      opened
      size={640}
      onClose={() => void answerTakeover(false)}
      title={t('sharedOrders.takenTitle', { reference: order.values.reference ?? '' })}
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
        <Button variant="default" data-autofocus data-safe onClick={() => void answerTakeover(false)}>
          {t('sharedOrders.leave')}
        </Button>
        <Button variant="default" onClick={() => void answerTakeover(true)}>
          {t('sharedOrders.takeOver')}
        </Button>
      </Group>
    </Modal>
  )
}
