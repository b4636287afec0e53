import { Checkbox, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconFileTypePdf, IconSend } from '@tabler/icons-react'
import { useIsMutating, useQueryClient } from '@tanstack/react-query'
import { type DragEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MethodOutput } from '../../../shared/bridge'
import { type ManifestDetails, maxWaybillMegabytes } from '../../../shared/consignments'
import { callMain, useBridgeMutation } from '../../bridge'
import { formatDay, formatMoment, formatNumber } from '../../i18n/format'
import { BusyButton } from '../../ui/BusyButton'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { DateField } from '../../ui/DateField'
import { readDay, today } from '../../ui/days'
import { FileChoice, readChosen } from '../../ui/FileChoice'
import { FormField } from '../../ui/FormField'
import { Panel } from '../../ui/Panel'
import { PictureCanvas } from '../../ui/PictureCanvas'
import { TextField } from '../../ui/TextField'
import { issuesByPath, toFormErrors } from '../../ui/validation'
import { UnsentLines } from './LinesAdvice'
import styles from './manifests.module.css'
import {
  type ChosenPdf,
  findDraft,
  preAlertForm,
  type TypedPreAlert,
  usePreAlerts,
  useStorePreAlertPage,
} from './preAlertStore'
import { useReload } from './queries'
import { PreAlertResult } from './Submissions'

/** The pre-alert of the air waybill: its PDF, arrival and weight. */
export function PreAlertTab({ page }: { page: ManifestDetails }) {
  const { t, i18n } = useTranslation()
  const [known, setKnown] = useState(false)
  const drafts = usePreAlerts.getStore(useQueryClient())
  const { change } = usePreAlerts((state) => state)
  const { typed, pdf, error } = usePreAlerts((state) => findDraft(state, page.id))
  const form = useForm<TypedPreAlert>({
    initialValues: typed,
    onValuesChange: (values) => change(page.id, { typed: values }),
  })
  const result = useRef<HTMLDivElement>(null)
  const storePage = useStorePreAlertPage()
  const reload = useReload(page.id)
  const sending = useBridgeMutation('sendPreAlert', {
    meta: { preAlertOf: page.id },
    onMutate: () => change(page.id, { error: null }),
    onSuccess: storePage,
    onError: (failure) => {
      change(page.id, { error: failure })
      // The page may not show yet what blocked the pre-alert.
      return reload()
    },
  })
  // Includes a send that was started before the tab was left and opened again.
  const isSending = useIsMutating({ predicate: ({ meta }) => meta?.preAlertOf === page.id }) > 0
  const send = () => {
    const read = preAlertForm.safeParse(form.getValues())
    const issues = read.success ? {} : toFormErrors(issuesByPath(read.error))
    form.setErrors({ ...issues, ...(pdf === null && { pdf: 'required' }) })
    if (!read.success || pdf === null || isSending) return
    const { eta, weight, elsewhere } = read.data
    const { fileName, bytes } = pdf
    sending.mutate(
      {
        manifestId: page.id,
        request: {
          airWaybillNumber: page.airWaybillNumber,
          estimatedTimeOfArrival: eta,
          grossWeight: weight,
        },
        ...{ fileName, bytes, uploadedElsewhere: elsewhere, again: known },
      },
      {
        // The result is below the form, out of view on a small screen.
        onSuccess: () => result.current?.focus(),
        onSettled: () => setKnown(false),
      },
    )
  }
  const choosePdf = async (file: File) => {
    change(page.id, { chosen: file, pdf: null })
    const read = await readChosen(file, maxWaybillMegabytes, 'pdf-unreadable')
    const picture = read.ok ? await callMain('previewPdf', { bytes: read.value }) : read
    // A file chosen before may take longer to read and must not replace the one chosen last.
    if (findDraft(drafts.getState(), page.id).chosen !== file) return
    form.clearFieldError('pdf')
    if (!read.ok || !picture.ok) change(page.id, { pdf: null, error: picture.ok ? null : picture.error })
    else change(page.id, { pdf: toChosen(file, read.value, picture.value), error: null })
  }
  const uploaded = page.uploads.some((upload) => upload.state === 'accepted')
  const accepted = page.preAlerts.find(({ state }) => state === 'accepted')
  const open = !page.unknownUpload && !page.unknownPreAlert
  const [last] = page.preAlerts
  const shown = page.preAlerts.find(({ state }) => state === 'unknown') ?? last
  return (
    <Stack gap={12}>
      <Panel title={t('manifests.tabPreAlert')}>
        <div className={styles.preAlert}>
          <Stack gap={12}>
            {uploaded || page.unknownUpload ? null : (
              <Callout tone="attention">
                <p>{t('manifests.preAlertBlocked', { number: page.airWaybillNumber })}</p>
                <Checkbox
                  {...form.getInputProps('elsewhere', { type: 'checkbox' })}
                  label={t('manifests.uploadedElsewhere')}
                />
              </Callout>
            )}
            <UnsentLines page={page} />
            <Fields page={page} form={form} />
            {page.unknownUpload ? (
              <Callout tone="attention">{t('manifests.preAlertAfterUpload')}</Callout>
            ) : null}
            {page.unknownPreAlert ? <Callout tone="attention">{t('manifests.preAlertWaits')}</Callout> : null}
            {accepted !== undefined && open ? (
              <Callout tone="info">
                <p>{t('manifests.preAlertAgain', { when: formatMoment(accepted.sentAt, i18n.language) })}</p>
                <Checkbox
                  label={t('manifests.knowPreAlert')}
                  checked={known}
                  onChange={(event) => setKnown(event.currentTarget.checked)}
                />
              </Callout>
            ) : null}
            <ErrorCallout error={error} />
            {form.errors.pdf && !error ? <Callout tone="bad">{t('manifests.pdfNeeded')}</Callout> : null}
            <div>
              <BusyButton
                size="xl"
                disabled={
                  (!uploaded && !form.values.elsewhere) || !open || (accepted !== undefined && !known)
                }
                busy={isSending}
                leftSection={<IconSend size={24} aria-hidden />}
                onClick={send}
              >
                {t('manifests.sendPreAlert')}
              </BusyButton>
            </div>
          </Stack>
          <PdfDrop pdf={pdf} onFile={(file) => void choosePdf(file)} />
        </div>
      </Panel>
      <div ref={result} role="status" tabIndex={-1}>
        {shown === undefined ? null : <PreAlertResult key={shown.id} preAlert={shown} page={page} />}
      </div>
      {last?.state === 'refused' && pdf !== null ? <p>{t('manifests.keptTyped')}</p> : null}
    </Stack>
  )
}

function toChosen(
  { name: fileName }: File,
  bytes: ArrayBuffer,
  picture: MethodOutput<'previewPdf'>,
): ChosenPdf {
  return { fileName, bytes, pages: picture.pages, picture }
}

interface FieldsProps {
  page: ManifestDetails
  form: ReturnType<typeof useForm<TypedPreAlert>>
}

function Fields({ page, form }: FieldsProps) {
  const { t, i18n } = useTranslation()
  const { eta } = form.values
  const isPast = readDay(eta) === eta && eta < today()
  const weight = preAlertForm.shape.weight.safeParse(form.values.weight).data
  // Uploads are newest first. One that a restored database does not know has no lines.
  const parcelWeight =
    page.uploads.find(({ state, lines }) => state === 'accepted' && lines > 0)?.parcelWeight ?? 0
  const number = (value: number) => formatNumber(value, i18n.language)
  return (
    <>
      <TextField
        label={t('manifests.newNumber')}
        value={page.airWaybillNumber}
        onChange={() => {}}
        readOnly
      />
      <DateField
        label={t('manifests.eta')}
        value={eta}
        onChange={(day) => form.setFieldValue('eta', day)}
        needed
        errorText={form.errors.eta === undefined ? undefined : t('manifests.etaNeeded')}
        advice={isPast ? t('manifests.etaPast', { day: formatDay(eta, i18n.language) }) : undefined}
      />
      <FormField
        {...form.getInputProps('weight')}
        label={t('manifests.grossWeight')}
        numeric="decimal"
        needed
        errorText={t('manifests.grossWeightNeeded')}
        // A mark before three digits may be meant as a thousands separator.
        hint={weight === undefined ? undefined : `= ${number(weight)}`}
        advice={
          weight !== undefined && weight < parcelWeight
            ? t('manifests.grossWeightLow', { weight: number(weight), parcels: number(parcelWeight) })
            : undefined
        }
      />
    </>
  )
}

/** Megabytes to one decimal; at least 0.1. */
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
