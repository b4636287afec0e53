import { Button, Popover } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useBridgeMutation } from '../../bridge'
import { ErrorCallout } from '../../ui/Callout'
import { TextField } from '../../ui/TextField'

interface SkipOrdersProps {
  orderIds: string[]
  isSkipped: boolean
  onDone: () => void
}

/** Takes orders out of the list, with a reason that stays with them; puts skipped ones back. */
export function SkipOrders({ orderIds, isSkipped, onDone }: SkipOrdersProps) {
  const { t } = useTranslation()
  const [isAsking, setIsAsking] = useState(false)
  const [reason, setReason] = useState('')
  const done = () => {
    setIsAsking(false)
    setReason('')
    onDone()
  }
  const skip = useBridgeMutation('skipOrders', { onSuccess: done })
  const unskip = useBridgeMutation('unskipOrders', { onSuccess: done })
  if (isSkipped) {
    return (
      <>
        <Button variant="default" loading={unskip.isPending} onClick={() => unskip.mutate({ orderIds })}>
          {t('orders.unskip', { count: orderIds.length })}
        </Button>
        {unskip.error ? <ErrorCallout error={unskip.error} /> : null}
      </>
    )
  }
  return (
    <Popover opened={isAsking} onChange={setIsAsking} trapFocus withArrow position="top">
      <Popover.Target>
        <Button variant="default" aria-expanded={isAsking} onClick={() => setIsAsking(!isAsking)}>
          {t('orders.skip', { count: orderIds.length })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (reason.trim() !== '') skip.mutate({ orderIds, reason })
          }}
        >
          <TextField
            label={t('orders.skipReason')}
            value={reason}
            onChange={setReason}
            maxLength={200}
            data-autofocus
            needed
          />
          <Button type="submit" mt="sm" loading={skip.isPending} disabled={reason.trim() === ''}>
            {t('orders.skipNow', { count: orderIds.length })}
          </Button>
          {skip.error ? <ErrorCallout error={skip.error} /> : null}
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
