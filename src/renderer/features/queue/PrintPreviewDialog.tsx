import { ActionIcon, Button, NativeSelect, NumberInput, ScrollArea } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconPrinter } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PrintPreview } from '../../../shared/printingBridge'
import { usePrintPreview } from '../../app/storesContext'
import { ErrorCallout } from '../../components/Callout'
import { Dialog } from '../../components/Dialog'
import { PictureCanvas } from '../../components/PictureCanvas'
import styles from './queue.module.css'

/** A label dot for dot as its printer will show it. */
export function PrintPreviewDialog() {
  const { t } = useTranslation()
  const { preview, error, close } = usePrintPreview((state) => state)
  return (
    <Dialog
      opened={preview !== null || error !== null}
      onClose={close}
      size={900}
      title={t('printPreview.title', { printer: preview?.printerName ?? '' })}
    >
      {error ? <ErrorCallout error={error} /> : null}
      {preview?.problem ? <ErrorCallout error={preview.problem} /> : null}
      {preview && preview.text !== null ? (
        <>
          <p>{t('printPreview.text')}</p>
          <pre className={styles.zpl}>{preview.text}</pre>
        </>
      ) : null}
      {preview && preview.pictures.length > 0 ? <Pictures key={preview.labelId} preview={preview} /> : null}
    </Dialog>
  )
}

const zooms = ['fit', 'dots', 'large'] as const

function Pictures({ preview: { pictures } }: { preview: PrintPreview }) {
  const { t } = useTranslation()
  const [at, setAt] = useState(0)
  const [zoom, setZoom] = useState<(typeof zooms)[number]>('fit')
  const picture = pictures[at]
  if (!picture) return null
  const width = zoom === 'fit' ? undefined : picture.width * (zoom === 'large' ? 2 : 1)
  return (
    <>
      <div className={styles.previewTools}>
        <NativeSelect
          label={t('printPreview.zoom')}
          value={zoom}
          onChange={(event) => setZoom(zooms.find((each) => each === event.currentTarget.value) ?? 'fit')}
          data={zooms.map((value) => ({ value, label: t(`printPreview.${value}`) }))}
        />
        {pictures.length > 1 ? (
          <div className={styles.pager}>
            <ActionIcon
              aria-label={t('printPreview.previous')}
              disabled={at === 0}
              onClick={() => setAt(at - 1)}
            >
              <IconChevronLeft size={24} aria-hidden />
            </ActionIcon>
            <span role="status">{t('printPreview.pageOf', { page: at + 1, pages: pictures.length })}</span>
            <ActionIcon
              aria-label={t('printPreview.next')}
              disabled={at >= pictures.length - 1}
              onClick={() => setAt(at + 1)}
            >
              <IconChevronRight size={24} aria-hidden />
            </ActionIcon>
          </div>
        ) : null}
      </div>
      <ScrollArea.Autosize mah="62vh" viewportProps={{ tabIndex: 0 }}>
        <PictureCanvas
          picture={picture}
          label={t('printPreview.picture', { page: at + 1, pages: pictures.length })}
          className={zoom === 'fit' ? styles.fit : styles.dots}
          width={width}
        />
      </ScrollArea.Autosize>
      {pictures.length > 1 ? <PageRange pages={pictures.length} /> : null}
    </>
  )
}

function PageRange({ pages }: { pages: number }) {
  const { t } = useTranslation()
  const { reprintPages, busy } = usePrintPreview((state) => state)
  const [from, setFrom] = useState(1)
  const [to, setTo] = useState(pages)
  return (
    <div className={styles.previewTools}>
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
        loading={busy}
        disabled={from > to}
        leftSection={<IconPrinter size={20} aria-hidden />}
        onClick={() => void reprintPages(from, to)}
      >
        {t('printPreview.reprintPages')}
      </Button>
    </div>
  )
}
