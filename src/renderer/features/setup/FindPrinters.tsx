import { Button, Group } from '@mantine/core'
import { IconRadar, IconSearch } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FoundPrinter } from '../../../shared/discovery'
import type { SystemQueue } from '../../../shared/printing'
import { callMain, useBridgeMutation, useBridgeQuery } from '../../bridge'
import { ErrorCallout } from '../../ui/Callout'
import { Panel } from '../../ui/Panel'
import { TextField } from '../../ui/TextField'
import { newPrinter } from '../settings/printers/form'
import { useTab } from '../settings/tabForm'
import styles from './setup.module.css'

/** Finds printers: queues of this computer, announced network printers, and printers at typed addresses. */
export function FindPrinters() {
  const { t } = useTranslation()
  const [addresses, setAddresses] = useState('')
  const hintId = useId()
  const queues = useBridgeQuery('listSystemQueues', undefined)
  const find = useBridgeMutation('findPrinters')
  const found = find.data
  return (
    <Panel title={t('setup.find')}>
      <ul className={styles.found} aria-label={t('setup.found')}>
        {(queues.data ?? []).map((queue) => (
          <QueueRow key={queue.queue} queue={queue} />
        ))}
        {(found?.printers ?? []).map((printer) => (
          <NetworkRow key={`${printer.host}:${printer.port}`} printer={printer} />
        ))}
      </ul>
      <Group align="stretch" gap={12} mt={6}>
        <Button
          variant="default"
          leftSection={<IconRadar size={20} aria-hidden />}
          loading={find.isPending}
          onClick={() => find.mutate({ addresses: null })}
        >
          {t('setup.findAnnounced')}
        </Button>
      </Group>
      <form
        className={styles.scan}
        onSubmit={(event) => {
          event.preventDefault()
          if (addresses.trim() !== '') find.mutate({ addresses })
        }}
      >
        <TextField
          label={t('setup.addresses')}
          placeholder="192.168.1.20-60"
          aria-describedby={hintId}
          value={addresses}
          onChange={setAddresses}
          maxLength={500}
        />
        <Button
          type="submit"
          variant="default"
          leftSection={<IconSearch size={20} aria-hidden />}
          disabled={addresses.trim() === '' || find.isPending}
        >
          {t('setup.findAt')}
        </Button>
        <p id={hintId} className={`${styles.scanHint} pb-soft`}>
          {t('setup.addressesHint')}
        </p>
      </form>
      <div role="status">
        {find.isPending ? <p>{t('setup.finding')}</p> : null}
        {found !== undefined && !find.isPending ? (
          <p>
            {found.printers.length > 0
              ? t('setup.foundSome', { count: found.printers.length })
              : t(found.asked === null ? 'setup.foundNone' : 'setup.foundNoneAt')}
          </p>
        ) : null}
        <ErrorCallout error={find.error} />
      </div>
    </Panel>
  )
}

function QueueRow({ queue: { queue, description } }: { queue: SystemQueue }) {
  const { t } = useTranslation()
  const { form } = useTab('printers')
  const { printers } = form.values
  const isUsed = printers.some((each) => each.driver === 'system' && each.queue === queue)
  const name = description || queue
  return (
    <FoundRow name={name} place={t('setup.queue', { queue })} isUsed={isUsed}>
      <Button
        variant="default"
        disabled={isUsed}
        aria-label={t('setup.use', { name })}
        onClick={() => form.insertListItem('printers', { ...newPrinter('system'), name, queue })}
      >
        {t(isUsed ? 'setup.used' : 'setup.useThis')}
      </Button>
    </FoundRow>
  )
}

function NetworkRow({ printer: { host, port, name, isZpl } }: { printer: FoundPrinter }) {
  const { t } = useTranslation()
  const { form } = useTab('printers')
  const { printers } = form.values
  const [isAsking, setIsAsking] = useState(false)
  const isUsed = printers.some(
    (each) => each.driver === 'socket' && each.host === host && each.port === String(port),
  )
  const place = `${host}:${port}`
  // The printer is identified only once a person has chosen it: other devices would print the query.
  const use = async () => {
    setIsAsking(true)
    const asked = await callMain('identifyPrinter', { host, port })
    setIsAsking(false)
    const identity = asked.ok ? asked.value : null
    const dpi = identity?.dpi
    form.insertListItem('printers', {
      ...newPrinter('socket'),
      name: name || identity?.model || '',
      host,
      port: String(port),
      ...(dpi && { dpi: String(dpi) }),
    })
  }
  return (
    <FoundRow name={name || place} place={isZpl ? t('setup.zplAt', { place }) : place} isUsed={isUsed}>
      <Button
        variant="default"
        disabled={isUsed}
        loading={isAsking}
        aria-label={t('setup.use', { name: name || place })}
        onClick={() => void use()}
      >
        {t(isUsed ? 'setup.used' : 'setup.useThis')}
      </Button>
    </FoundRow>
  )
}

interface FoundRowProps {
  name: string
  place: string
  isUsed: boolean
  children: React.ReactNode
}

function FoundRow({ name, place, isUsed, children }: FoundRowProps) {
  return (
    <li className={styles.foundRow} data-used={isUsed}>
      <span>
        <strong>{name}</strong>
        <span className="pb-soft"> {place}</span>
      </span>
      {children}
    </li>
  )
}
