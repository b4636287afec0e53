import { Button, Checkbox } from '@mantine/core'
import { IconFileTypePdf, IconSend } from '@tabler/icons-react'
import { type DragEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppError } from '../../../shared/errors'
import type { ManifestDetails } from '../../../shared/manifest'
import { largestWaybillMegabytes } from '../../../shared/preAlert'
import { useManifests } from '../../app/storesContext'
import { Callout, ErrorCallout } from '../../components/Callout'
import { FileChoice } from '../../components/FileChoice'
import { Panel } from '../../components/Panel'
import { PictureCanvas } from '../../components/PictureCanvas'
import { TextField } from '../../components/TextField'
import { formatDay, formatNumber } from '../../i18n/format'
import { readChosen } from '../../stores/chosenFile'
import { readNumber } from '../../stores/draftForm'
import { type ChosenPdf, type PreAlertForm, preAlertFormOf } from '../../stores/manifestsStore'
import { settled } from '../../stores/settled'
import { today } from '../../stores/today'
import styles from './manifests.module.css'
import { PreAlertResult } from './PreAlertResult'

/** The air waybill's announcement: its PDF, arrival and weight. What was typed stays until the service took it. */
export function PreAlertTab({ page }: { page: ManifestDetails }) {
  const { t, i18n } = useTranslation()
  const { pdf, eta, weight, elsewhere } = useManifests((state) => preAlertFormOf(state, page.id))
  const editPreAlert = useManifests((state) => state.editPreAlert)
  const edit = (change: Partial<PreAlertForm>) => editPreAlert(page.id, change)
  const [asked, setAsked] = useState(false)
  const [error, setError] = useState<AppError | null>(null)
  const [sending, setSending] = useState(false)
  const applyPage = useManifests((state) => state.applyPage)
  const uploaded = page.uploads.some((upload) => upload.state === 'accepted')
  const allowed = uploaded || elsewhere
  const grossWeight = readNumber(weight)
  const [last] = page.preAlerts

  const choose = async (file: File) => {
    const read = await readChosen(file, largestWaybillMegabytes, 'pdf-unreadable')
    const preview = read.ok ? await settled(window.packbench.previewPdf({ bytes: read.value })) : read
    setError(preview.ok ? null : preview.error)
    const chosen =
      read.ok && preview.ok
        ? { fileName: file.name, bytes: read.value, pages: preview.value.pages, picture: preview.value }
        : null
    edit({ pdf: chosen })
  }
  const send = async () => {
    setAsked(true)
    if (pdf === null || eta === '' || !(grossWeight > 0)) return
    setSending(true)
    const result = await settled(
      window.packbench.sendPreAlert({
        manifestId: page.id,
        request: { airWaybillNumber: page.airWaybillNumber, estimatedTimeOfArrival: eta, grossWeight },
        fileName: pdf.fileName,
        bytes: pdf.bytes,
        uploadedElsewhere: elsewhere,
      }),
    )
    setSending(false)
    setError(result.ok ? null : result.error)
    if (!result.ok) return
    applyPage(result.value)
    if (result.value.preAlerts[0]?.state !== 'accepted') return
    edit({ pdf: null })
    setAsked(false)
  }

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
                  onChange={(event) => edit({ elsewhere: event.currentTarget.checked })}
                />
              </Callout>
            )}
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
              onChange={(text) => edit({ eta: text })}
              hint={formatDay(eta, i18n.language)}
              needed
              fault={asked && eta === '' ? t('manifests.etaNeeded') : undefined}
              advice={
                eta !== '' && eta < today()
                  ? t('manifests.etaPast', { day: formatDay(eta, i18n.language) })
                  : undefined
              }
            />
            <TextField
              label={t('manifests.grossWeight')}
              value={weight}
              onChange={(text) => edit({ weight: text })}
              inputMode="decimal"
              needed
              fault={asked && !(grossWeight > 0) ? t('manifests.grossWeightNeeded') : undefined}
            />
            {error ? <ErrorCallout error={error} /> : null}
            {asked && pdf === null && !error ? (
              <Callout tone="bad">{t('manifests.pdfNeeded')}</Callout>
            ) : null}
            <div>
              <Button
                size="xl"
                disabled={!allowed || sending}
                loading={sending}
                leftSection={<IconSend size={24} aria-hidden />}
                onClick={() => void send()}
              >
                {t('manifests.sendPreAlert')}
              </Button>
            </div>
          </div>
          <PdfDrop pdf={pdf} onFile={(file) => void choose(file)} />
        </div>
      </Panel>
      {last === undefined ? null : <PreAlertResult preAlert={last} page={page} />}
      {last?.state === 'refused' && pdf !== null ? <p>{t('manifests.keptTyped')}</p> : null}
    </div>
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
