import { ActionIcon, Button, Group, Modal, NumberInput, ScrollArea } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconPrinter } from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PagePicture, PrintJob, PrintPreview } from '../../../shared/printing'
import { callMain, queryKey, useBridgeMutation } from '../../bridge'
import { BarcodeGrades } from '../../ui/BarcodeGrades'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { ChoiceSelect } from '../../ui/ChoiceSelect'
import { type OpenDialog, useDialog, useDialogs } from '../../ui/dialogs'
import { PictureCanvas } from '../../ui/PictureCanvas'
import styles from './queue.module.css'

type PreviewDialog = Extract<OpenDialog, { kind: 'preview' }>

/** Print previews of labels; a label that can't be rendered has a problem instead. Undefined until all are there. */
function usePreviews({ labelIds = [], printerId, pages }: Partial<Omit<PreviewDialog, 'kind'>>) {
  const on = { ...(printerId !== undefined && { printerId }), ...(pages !== undefined && { pages }) }
  return useQueries({
    queries: labelIds.map((labelId) => ({
      queryKey: queryKey('previewPrint', { labelId, ...on }),
      queryFn: async (): Promise<PrintPreview> => {
        const drawn = await callMain('previewPrint', { labelId, ...on })
        if (drawn.ok) return drawn.value
        return { labelId, printerName: '', dpi: 1, pictures: [], pages: 0, text: null, problem: drawn.error }
      },
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    })),
    combine(answers) {
      const previews = answers.flatMap(({ data }) => data ?? [])
      return labelIds.length > 0 && previews.length === labelIds.length ? previews : undefined
    },
  })
}

/** Labels dot for dot as their printer prints them. */
export function PrintPreviewDialog() {
  const { t } = useTranslation()
  const dialog = useDialog('preview')
  const close = useDialogs((state) => state.close)
  const previews = usePreviews(dialog ?? {})
  const printer = previews?.[0]?.printerName
  return (
    <Modal
      opened={previews !== undefined}
      onClose={close}
      size={900}
      title={printer ? t('printPreview.title', { printer }) : t('queue.preview')}
    >
      {previews ? <Sheets previews={previews} printerId={dialog?.printerId} shown={dialog?.pages} /> : null}
    </Modal>
  )
}

/** One page of the dialog: a picture, or a label that has none. */
interface Sheet {
  preview: PrintPreview
  picture: PagePicture | undefined
}

function toSheets(previews: readonly PrintPreview[]): Sheet[] {
  return previews.flatMap((preview): Sheet[] =>
    preview.pictures.length === 0
      ? [{ preview, picture: undefined }]
      : preview.pictures.map((picture) => ({ preview, picture })),
  )
}

const zooms = ['fit', 'dots', 'large'] as const
type Zoom = (typeof zooms)[number]

interface SheetsProps {
  previews: readonly PrintPreview[]
  printerId: string | undefined
  /** The pages that are shown; all when left out. */
  shown: PrintJob['pages']
}

function Sheets({ previews, printerId, shown }: SheetsProps) {
  const { t } = useTranslation()
  const [at, setAt] = useState(0)
  const [zoom, setZoom] = useState<Zoom>('fit')
  const sheets = toSheets(previews)
  const sheet = sheets[at]
  if (!sheet) return null
  const { preview, picture } = sheet
  const place = { page: at + 1, pages: sheets.length }
  return (
    <>
      <Group align="end" gap={10} py={8}>
        {picture ? (
          <ChoiceSelect
            label={t('printPreview.zoom')}
            value={zoom}
            choices={zooms.map((value) => ({ value, label: t(`printPreview.${value}`) }))}
            onChange={setZoom}
          />
        ) : null}
        {sheets.length > 1 ? <Pager {...place} onTurn={(places) => setAt(at + places)} /> : null}
      </Group>
      {preview.barcodes ? <BarcodeGrades proof={preview.barcodes} /> : null}
      {preview.firstPart ? (
        <Callout tone="info">
          <p>{t('printPreview.firstPart', { ...preview.firstPart, labelPages: preview.pages })}</p>
        </Callout>
      ) : null}
      <ErrorCallout error={preview.problem} />
      {picture ? <Picture picture={picture} zoom={zoom} label={t('printPreview.picture', place)} /> : null}
      {preview.text === null ? null : (
        <>
          <p>{t('printPreview.text')}</p>
          <pre className={styles.zpl}>{preview.text}</pre>
        </>
      )}
      {preview.pages > 1 ? <PageRange key={preview.labelId} {...{ preview, printerId, shown }} /> : null}
    </>
  )
}

interface PagerProps {
  page: number
  pages: number
  onTurn: (places: 1 | -1) => void
}

function Pager({ page, pages, onTurn }: PagerProps) {
  const { t } = useTranslation()
  return (
    <Group gap={10}>
      <ActionIcon aria-label={t('printPreview.previous')} disabled={page === 1} onClick={() => onTurn(-1)}>
        <IconChevronLeft size={24} aria-hidden />
      </ActionIcon>
      <span role="status">{t('printPreview.labelPage', { page, pages })}</span>
      <ActionIcon aria-label={t('printPreview.next')} disabled={page === pages} onClick={() => onTurn(1)}>
        <IconChevronRight size={24} aria-hidden />
      </ActionIcon>
    </Group>
  )
}

function Picture({ picture, zoom, label }: { picture: PagePicture; zoom: Zoom; label: string }) {
  const width = zoom === 'fit' ? undefined : picture.width * (zoom === 'large' ? 2 : 1)
  return (
    <ScrollArea.Autosize mah="62vh" viewportProps={{ tabIndex: 0 }}>
      <PictureCanvas
        picture={picture}
        label={label}
        className={zoom === 'fit' ? styles.fit : styles.dots}
        width={width}
      />
    </ScrollArea.Autosize>
  )
}

interface PageRangeProps extends Omit<SheetsProps, 'previews'> {
  preview: PrintPreview
}

function PageRange({ preview, printerId, shown }: PageRangeProps) {
  const { t } = useTranslation()
  const close = useDialogs((state) => state.close)
  const { mutate, isPending, error } = useBridgeMutation('reprintPages')
  const { pages } = preview
  const [from, setFrom] = useState(shown?.from ?? 1)
  const [to, setTo] = useState(shown?.to ?? pages)
  return (
    <Group align="end" gap={10} py={8}>
      <NumberInput
        label={t('printPreview.from')}
        value={from}
        min={1}
        max={pages}
        onChange={(value) => typeof value === 'number' && setFrom(value)}
      />
      <NumberInput
        label={t('printPreview.to')}
        value={to}
        min={from}
        max={pages}
        onChange={(value) => typeof value === 'number' && setTo(value)}
      />
      <Button
        loading={isPending}
        disabled={from > to}
        leftSection={<IconPrinter size={20} aria-hidden />}
        onClick={() =>
          mutate(
            { labelId: preview.labelId, pages: { from, to }, ...(printerId !== undefined && { printerId }) },
            { onSuccess: close },
          )
        }
      >
        {t('printPreview.reprintPages')}
      </Button>
      <ErrorCallout error={error} />
    </Group>
  )
}
