import { Button, Checkbox, Group, Modal, NativeSelect, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { LabelFinding } from '../../../shared/labels'
import type { LossQuestion } from '../../../shared/printing'
import { useBridgeMutation, useBridgeQuery } from '../../bridge'
import { findingText, sizeText } from '../../i18n/texts'
import { ErrorCallout } from '../../ui/Callout'
import { useDialog, useDialogs } from '../../ui/dialogs'
import { PictureCanvas } from '../../ui/PictureCanvas'
import { toFrameStyle } from './AreaFrames'
import styles from './queue.module.css'

/** Shows what a label would lose in print, and asks what to do. */
export function LossDialog() {
  const { t } = useTranslation()
  const dialog = useDialog('losses')
  const close = useDialogs((state) => state.close)
  const { data, error } = useBridgeQuery(
    'askLosses',
    { jobId: dialog?.jobId ?? '' },
    { enabled: dialog !== undefined, staleTime: Number.POSITIVE_INFINITY, gcTime: 0 },
  )
  const question = dialog && data
  const failure = dialog && error
  return (
    <Modal
      opened={Boolean(question ?? failure)}
      onClose={close}
      size={question && question.pages.length > 0 ? 960 : 640}
      title={t('losses.title')}
    >
      {question ? <Losses question={question} /> : null}
      <ErrorCallout error={failure} />
    </Modal>
  )
}

function Losses({ question }: { question: LossQuestion }) {
  const { t } = useTranslation()
  const { findings, pages, printerName } = question
  return (
    <div className={styles.losses}>
      <Stack gap={12}>
        <p>{t('losses.explain', { printer: printerName })}</p>
        <ul className={styles.lossList}>
          {findings.map((finding) => (
            <li key={JSON.stringify(finding)}>{findingText(t, finding)}</li>
          ))}
        </ul>
        {question.stocks.length === 0 ? null : <OtherStock question={question} />}
        <Answers question={question} />
      </Stack>
      {pages.length === 0 ? null : (
        <Stack gap={12}>
          {pages.map((page) => (
            <MarkedPage
              key={page.page}
              page={page}
              findings={findings.filter((finding) => finding.page === page.page)}
            />
          ))}
        </Stack>
      )}
    </div>
  )
}

/** Stocks that the printer offers instead of one it does not have. */
function OtherStock({ question: { jobId, printerName, stocks } }: { question: LossQuestion }) {
  const { t } = useTranslation()
  const close = useDialogs((state) => state.close)
  const [paper, setPaper] = useState(stocks[0]?.paper ?? '')
  const choosing = useBridgeMutation('chooseStock')
  const options = stocks.map(({ paper: name, size }) => ({
    value: name,
    label: size === null ? name : t('losses.stockSize', { paper: name, size: sizeText(t, size) }),
  }))
  return (
    <>
      <NativeSelect
        label={t('losses.stock')}
        description={t('losses.stockHint', { printer: printerName })}
        data={options}
        value={paper}
        onChange={(event) => setPaper(event.currentTarget.value)}
      />
      <Group gap={10}>
        <Button
          variant="default"
          loading={choosing.isPending}
          onClick={() => choosing.mutate({ jobId, paper }, { onSuccess: close })}
        >
          {t('losses.useStock')}
        </Button>
      </Group>
      <ErrorCallout error={choosing.error} />
    </>
  )
}

function Answers({ question: { jobId, adjustablePage } }: { question: LossQuestion }) {
  const { t } = useTranslation()
  const { open, close } = useDialogs((state) => state)
  const [remember, setRemember] = useState(false)
  const printing = useBridgeMutation('printDespiteLosses')
  const cancelling = useBridgeMutation('cancelJob')
  const busy = printing.isPending || cancelling.isPending
  const error = printing.error ?? cancelling.error
  const answered = { onSuccess: close }
  return (
    <>
      <Checkbox
        label={t('losses.remember')}
        checked={remember}
        onChange={(event) => setRemember(event.currentTarget.checked)}
      />
      <Group gap={10}>
        <Button
          variant="default"
          loading={busy}
          onClick={() => printing.mutate({ jobId, remember }, answered)}
        >
          {t('losses.printAnyway')}
        </Button>
        {adjustablePage === null ? null : (
          <Button disabled={busy} onClick={() => open({ kind: 'placement', jobId, page: adjustablePage })}>
            {t('losses.adjust')}
          </Button>
        )}
        <Button
          variant="default"
          data-autofocus
          data-safe
          disabled={busy}
          onClick={() => cancelling.mutate({ jobId }, answered)}
        >
          {t('losses.dontPrint')}
        </Button>
      </Group>
      <ErrorCallout error={error} />
    </>
  )
}

interface MarkedPageProps {
  page: LossQuestion['pages'][number]
  findings: readonly LabelFinding[]
}

/** A page with a frame around each area that would be lost. */
function MarkedPage({ page: { page, size, picture }, findings }: MarkedPageProps) {
  const { t } = useTranslation()
  const frames = findings.flatMap(({ areas = [] }) => areas).map((area, index) => ({ area, index }))
  return (
    <figure className={styles.sheet}>
      <figcaption>{t('losses.picture', { page })}</figcaption>
      <div className={styles.marked}>
        <PictureCanvas
          picture={picture}
          label={t('losses.picture', { page })}
          className={styles.markedPage}
        />
        {frames.map(({ area, index }) => (
          <div key={index} data-testid="loss" className={styles.loss} style={toFrameStyle(area, size)} />
        ))}
      </div>
    </figure>
  )
}
