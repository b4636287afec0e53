import { Button, Group, Stack } from '@mantine/core'
import { IconDeviceFloppy, IconEye, IconPrinter } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MethodOutput } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import type { Language } from '../../../shared/fields'
import type { Result } from '../../../shared/result'
import { toResult } from '../../bridge'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { ChoiceSelect } from '../../ui/ChoiceSelect'
import { languageChoices } from '../../ui/FormField'
import { Panel } from '../../ui/Panel'
import { PictureCanvas } from '../../ui/PictureCanvas'
import styles from './history.module.css'

/** Shows, prints and saves the commercial invoice of a shipment. */
export function InvoicePanel({ shipmentId, language }: { shipmentId: string; language: Language }) {
  const { t } = useTranslation()
  const [inLanguage, setLanguage] = useState(language)
  const [picture, setPicture] = useState<MethodOutput<'previewInvoice'> | null>(null)
  const [words, setWords] = useState('')
  const [error, setError] = useState<AppError | null>(null)
  const input = { shipmentId, language: inLanguage }
  const isRunning = useRef(false)

  /** One action at a time: a double click must not print the invoice twice. */
  async function run<T>(call: () => Promise<Result<T, AppError>>, then: (value: T) => void): Promise<void> {
    if (isRunning.current) return
    isRunning.current = true
    const result = await toResult(call())
    isRunning.current = false
    setError(result.ok ? null : result.error)
    setWords('')
    if (result.ok) then(result.value)
  }

  return (
    <Panel title={t('customs.invoice')}>
      <Stack gap={12}>
        <Group align="stretch" gap={10}>
          <Button
            leftSection={<IconPrinter size={20} aria-hidden />}
            onClick={() =>
              void run(
                () => window.packbench.printInvoice(input),
                (printer) => setWords(t('customs.printed', { printer })),
              )
            }
          >
            {t('customs.printInvoice')}
          </Button>
          <Button
            variant="default"
            leftSection={<IconDeviceFloppy size={20} aria-hidden />}
            onClick={() =>
              void run(
                () => window.packbench.saveInvoice(input),
                (file) => setWords(file === null ? '' : t('customs.saved', { file })),
              )
            }
          >
            {t('customs.saveInvoice')}
          </Button>
          <Button
            variant="default"
            leftSection={<IconEye size={20} aria-hidden />}
            onClick={() => void run(() => window.packbench.previewInvoice(input), setPicture)}
          >
            {t('customs.showInvoice')}
          </Button>
          <ChoiceSelect
            aria-label={t('customs.invoiceLanguage')}
            choices={languageChoices}
            value={inLanguage}
            onChange={(chosen) => {
              setLanguage(chosen)
              setPicture(null)
            }}
          />
        </Group>
        <p role="status">{words}</p>
        <ErrorCallout error={error} />
        {picture !== null && picture.unprintable.length > 0 ? (
          <Callout tone="attention">
            {t('customs.unprintable', { letters: picture.unprintable.join(' ') })}
          </Callout>
        ) : null}
        {picture ? (
          <PictureCanvas picture={picture} label={t('customs.invoicePicture')} className={styles.invoice} />
        ) : null}
      </Stack>
    </Panel>
  )
}
