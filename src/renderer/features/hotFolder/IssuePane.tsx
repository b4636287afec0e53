import { Button, Checkbox } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OrderFileIssue } from '../../../shared/hotFolder'
import { type OrderValues, orderValueFields } from '../../../shared/orders'
import { useBridgeMutation } from '../../bridge'
import { formatMoment } from '../../i18n/format'
import { Callout, ErrorCallout, ErrorWords } from '../../ui/Callout'
import panes from '../../ui/listPane.module.css'
import { useNavigation } from '../../ui/navigation'
import { OrderValueField } from '../../ui/OrderValueField'
import { TextField } from '../../ui/TextField'
import styles from './hotFolder.module.css'
import { useHotFolderView } from './hotFolderViewStore'

/** One problem: its file and line, its error, and the ways to end it. */
export function IssuePane({ issue }: { issue: OrderFileIssue }) {
  const { t, i18n } = useTranslation()
  const showShipment = useNavigation((state) => state.showShipment)
  const openFolder = useBridgeMutation('openOrderFolder')
  const { closed, shipmentId, line, file, values } = issue
  return (
    <aside className={styles.pane} aria-label={t('hotFolder.one')}>
      <h2 className={panes.paneTitle}>{issue.reference ?? file}</h2>
      <p className="pb-soft">
        {line === null ? file : t('hotFolder.line', { file, line })}
        {' · '}
        {formatMoment(issue.at, i18n.language)}
      </p>
      <Callout tone={closed === null ? 'attention' : 'info'}>
        <ErrorWords error={issue.error} />
      </Callout>
      {closed === null ? null : <Closed closed={closed} />}
      {closed === null && shipmentId !== null ? (
        <>
          <p>{t('hotFolder.unknownHint')}</p>
          <Button className={styles.first} onClick={() => showShipment(shipmentId, 'all')}>
            {t('hotFolder.inHistory')}
          </Button>
        </>
      ) : null}
      {closed === null && shipmentId === null && values !== null ? (
        <Correction key={issue.id} issue={issue} values={values} />
      ) : null}
      {closed === null ? (
        <div className={panes.top}>
          <Button
            variant="default"
            loading={openFolder.isPending}
            onClick={() => openFolder.mutate({ issueId: issue.id })}
          >
            {t('hotFolder.openFolder')}
          </Button>
          <ErrorCallout error={openFolder.error} />
        </div>
      ) : null}
      {closed === null ? <Closing issueId={issue.id} /> : null}
    </aside>
  )
}

function Closed({ closed }: { closed: NonNullable<OrderFileIssue['closed']> }) {
  const { t, i18n } = useTranslation()
  const { sentAs, note, at, by } = closed
  const what = sentAs === null ? note || t('hotFolder.ended') : t('hotFolder.sentAs', { file: sentAs })
  return (
    <p>
      {t('hotFolder.closedAt', { moment: formatMoment(at, i18n.language) })}
      {by === null ? null : ` (${by})`}: {what}
    </p>
  )
}

/** The shipment's fields; the corrected order is sent in a file of its own. */
function Correction({ issue, values: given }: { issue: OrderFileIssue; values: OrderValues }) {
  const { t } = useTranslation()
  const { correct, dropCorrection } = useHotFolderView((view) => view)
  const typed = useHotFolderView(({ corrections }) => corrections[issue.id])
  const { values, touched, issues } = typed ?? { values: given, touched: {}, issues: issue.issues }
  const send = useBridgeMutation('sendOrderAgain', {
    onSuccess(answer) {
      if (answer.file === null) correct(issue.id, { values, touched: {}, issues: answer.issues })
      else dropCorrection(issue.id)
    },
  })
  const leftOut = Object.entries(issue.leftOut)
  // Nothing of this station says whether it was created, so nothing else would stop a second one.
  const [isAbsent, setAbsent] = useState(false)
  const mayExist = issue.kind === 'unknown'
  return (
    <form
      className={panes.fields}
      onSubmit={(event) => {
        event.preventDefault()
        send.mutate({ issueId: issue.id, values })
      }}
    >
      <h3 className={panes.whole}>{t('hotFolder.sendAgain')}</h3>
      {leftOut.length === 0 ? null : (
        <div className={panes.whole}>
          <p>{t('hotFolder.leftOut')}</p>
          <ul>
            {leftOut.map(([name, text]) => (
              <li key={name}>
                <span className="pb-mono">{name}</span>: {text}
              </li>
            ))}
          </ul>
        </div>
      )}
      {orderValueFields.map((field) => (
        <OrderValueField
          key={field}
          field={field}
          value={values[field] ?? ''}
          found={touched[field] ? undefined : issues.find((each) => each.field === field)}
          onChange={(text) =>
            correct(issue.id, {
              values: { ...values, [field]: text },
              touched: { ...touched, [field]: true },
              issues,
            })
          }
        />
      ))}
      {send.error ? (
        <div className={panes.whole}>
          <ErrorCallout error={send.error} />
        </div>
      ) : null}
      <p className={`${panes.whole} pb-soft`}>{t('hotFolder.sendHint')}</p>
      {mayExist ? (
        <Checkbox
          className={panes.whole}
          label={t('hotFolder.isAbsent')}
          checked={isAbsent}
          onChange={(event) => setAbsent(event.currentTarget.checked)}
        />
      ) : null}
      <Button className={panes.whole} type="submit" loading={send.isPending} disabled={mayExist && !isAbsent}>
        {t('hotFolder.send')}
      </Button>
    </form>
  )
}

function Closing({ issueId }: { issueId: string }) {
  const { t } = useTranslation()
  const [note, setNote] = useState('')
  const close = useBridgeMutation('closeOrderFileIssue')
  return (
    <form
      className={styles.closing}
      onSubmit={(event) => {
        event.preventDefault()
        if (note.trim() !== '') close.mutate({ issueId, note })
      }}
    >
      <h3>{t('hotFolder.close')}</h3>
      <TextField label={t('hotFolder.closeNote')} value={note} onChange={setNote} maxLength={200} needed />
      <ErrorCallout error={close.error} />
      <Button
        className={styles.first}
        type="submit"
        variant="default"
        loading={close.isPending}
        disabled={note.trim() === ''}
      >
        {t('hotFolder.closeNow')}
      </Button>
    </form>
  )
}
