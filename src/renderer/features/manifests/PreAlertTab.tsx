import { Checkbox } from '@mantine/core'
import { IconFileTypePdf, IconSend } from '@tabler/icons-react'
import { type DragEvent, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { ManifestDetails } from '../../../shared/consignments'
import { formatDay, formatNumber } from '../../i18n/format'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { FileChoice } from '../../ui/FileChoice'
import { readNumber } from '../../ui/fieldValues'
import { Panel } from '../../ui/Panel'
import { PictureCanvas } from '../../ui/PictureCanvas'
import { SteadyButton } from '../../ui/SteadyButton'
import { TextField } from '../../ui/TextField'
import { today } from '../../ui/today'
import styles from './manifests.module.css'
import { type ChosenPdf, type PreAlertForm, toPreAlertForm } from './preAlertStore'
import { PreAlertResult } from './Submissions'
import { usePreAlerts } from './stores'

/** The air waybill's announcement: its PDF, arrival and weight. */
export function PreAlertTab({ page }: { page: ManifestDetails }) {
  const { t } = useTranslation()
  const form = usePreAlerts((state) => toPreAlertForm(state, page.id))
  const { edit, choosePdf, send } = usePreAlerts((state) => state)
  const { pdf, elsewhere, tried, sending, error } = form
  const uploaded = page.uploads.some((upload) => upload.state === 'accepted')
  const result = useRef<HTMLDivElement>(null)
  const sendAndShow = async () => {
    // What became of it stands below the form, out of sight on a small screen.
    if (await send(page)) result.current?.focus()
  }
  const [last] = page.preAlerts
  const shown = page.preAlerts.find(({ state }) => state === 'unknown') ?? last
  return (
    <div className={styles.stack}>
      <Panel title={t('manifests.preAlertTitle')}>
        <div className={styles.preAlert}>
          <div className={styles.stack}>
            {uploaded ? null : (
              <Callout tone="attention">
                <p>{t('manifests.preAlertBlocked', { number: page.airWaybillNumber })}</p>
                <Checkbox
                  label={t('manifests.uploadedElsewhere')}
                  checked={elsewhere}
                  onChange={(event) => edit(page.id, { elsewhere: event.currentTarget.checked })}
                />
              </Callout>
            )}
            <Fields page={page} form={form} />
            {page.unknownPreAlert ? <Callout tone="attention">{t('manifests.preAlertWaits')}</Callout> : null}
            {error ? <ErrorCallout error={error} /> : null}
            {tried && pdf === null && !error ? (
              <Callout tone="bad">{t('manifests.pdfNeeded')}</Callout>
            ) : null}
            <div>
              <SteadyButton
                size="xl"
                disabled={(!uploaded && !elsewhere) || page.unknownPreAlert}
                busy={sending}
                leftSection={<IconSend size={24} aria-hidden />}
                onClick={() => void sendAndShow()}
              >
                {t('manifests.sendPreAlert')}
              </SteadyButton>
            </div>
          </div>
          <PdfDrop pdf={pdf} onFile={(file) => void choosePdf(page.id, file)} />
        </div>
      </Panel>
      <div ref={result} role="status" tabIndex={-1}>
        {shown === undefined ? null : <PreAlertResult key={shown.id} preAlert={shown} page={page} />}
      </div>
      {last?.state === 'refused' && pdf !== null ? <p>{t('manifests.keptTyped')}</p> : null}
    </div>
  )
}

function Fields({ page, form }: { page: ManifestDetails; form: PreAlertForm }) {
  const { t, i18n } = useTranslation()
  const edit = usePreAlerts((state) => state.edit)
  const { eta, weight, tried } = form
  const day = formatDay(eta, i18n.language)
  return (
    <>
      <TextField
        label={t('manifests.newNumber')}
        value={page.airWaybillNumber}
        onChange={() => {}}
        readOnly
      />
      <TextField
        label={t('manifests.eta')}
        type="date"
        value={eta}
        onChange={(text) => edit(page.id, { eta: text })}
        hint={day}
        needed
        errorText={tried && eta === '' ? t('manifests.etaNeeded') : undefined}
        advice={eta !== '' && eta < today() ? t('manifests.etaPast', { day }) : undefined}
      />
      <TextField
        label={t('manifests.grossWeight')}
        value={weight}
        onChange={(text) => edit(page.id, { weight: text })}
        inputMode="decimal"
        needed
        errorText={tried && !(readNumber(weight) > 0) ? t('manifests.grossWeightNeeded') : undefined}
      />
    </>
  )
}

/** To the tenth; a small file is no file of nothing. */
function megabytes(bytes: number): number {
  return Math.max(1, Math.round(bytes / 100_000)) / 10
}

function PdfDrop({ pdf, onFile }: { pdf: ChosenPdf | null; onFile: (file: File) => void }) {
  const { t, i18n } = useTranslation()
  const drop = (event: DragEvent) => {
    event.preventDefault()
    const [file] = event.dataTransfer.files
    if (file) onFile(file)
  }
  const size = pdf === null ? '' : formatNumber(megabytes(pdf.bytes.byteLength), i18n.language)
  return (
    <section
      className={styles.drop}
      aria-label={t('manifests.dropPdf')}
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
    >
      <IconFileTypePdf size={40} stroke={1.4} aria-hidden />
      <p>
        {pdf === null
          ? t('manifests.dropPdf')
          : t('manifests.pdfChosen', { file: pdf.fileName, size, pages: pdf.pages })}
      </p>
      <FileChoice
        label={t('manifests.choosePdf')}
        accept="application/pdf"
        variant="default"
        onFile={onFile}
      />
      {pdf === null ? null : (
        <PictureCanvas
          picture={pdf.picture}
          label={t('manifests.pdfPreview', { file: pdf.fileName })}
          className={styles.pdfPicture}
        />
      )}
    </section>
  )
}
