import { ActionIcon } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { LabelPreview, PagePicture } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import { ErrorCallout } from '../../components/Callout'
import { PictureCanvas } from '../../components/PictureCanvas'
import styles from './history.module.css'

type Sheet =
  | { kind: 'page'; position: number; picture: PagePicture; page: number; pages: number }
  | { kind: 'text'; position: number; text: string }
  | { kind: 'problem'; position: number; problem: AppError }

/** Everything there is to look at, one sheet after the other. */
function sheetsOf(previews: readonly LabelPreview[]): Sheet[] {
  return previews.flatMap((preview): Sheet[] => {
    const { position } = preview
    if (preview.problem !== null) return [{ kind: 'problem', position, problem: preview.problem }]
    if (preview.text !== null) return [{ kind: 'text', position, text: preview.text }]
    const pages = preview.pages.length
    return preview.pages.map((picture, index) => ({
      kind: 'page',
      position,
      picture,
      page: index + 1,
      pages,
    }))
  })
}

/** The labels as they will come out, page by page. */
export function LabelPreviews({ previews }: { previews: readonly LabelPreview[] }) {
  const { t } = useTranslation()
  const [at, setAt] = useState(0)
  const sheets = sheetsOf(previews)
  const sheet = sheets[Math.min(at, sheets.length - 1)]
  if (!sheet) return null
  return (
    <div className={styles.previews}>
      <SheetView sheet={sheet} />
      {sheets.length > 1 ? (
        <div className={styles.pager}>
          <ActionIcon
            aria-label={t('history.previousPage')}
            disabled={at === 0}
            onClick={() => setAt(at - 1)}
          >
            <IconChevronLeft size={24} aria-hidden />
          </ActionIcon>
          <span role="status">{t('history.pageOf', { page: at + 1, pages: sheets.length })}</span>
          <ActionIcon
            aria-label={t('history.nextPage')}
            disabled={at >= sheets.length - 1}
            onClick={() => setAt(at + 1)}
          >
            <IconChevronRight size={24} aria-hidden />
          </ActionIcon>
        </div>
      ) : null}
    </div>
  )
}

function SheetView({ sheet }: { sheet: Sheet }) {
  const { t } = useTranslation()
  switch (sheet.kind) {
    case 'problem':
      return <ErrorCallout error={sheet.problem} />
    case 'text':
      return (
        <section className={styles.zpl} aria-label={t('history.previewZpl', { position: sheet.position })}>
          <pre>{sheet.text}</pre>
        </section>
      )
    case 'page': {
      const { position, page, pages, picture } = sheet
      return (
        <PictureCanvas
          picture={picture}
          label={t('history.previewAlt', { position, page, pages })}
          className={styles.sheet}
        />
      )
    }
  }
}
