import { Button, Group } from '@mantine/core'
import { IconFocusCentered, IconPlugConnected, IconRulerMeasure } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { fillSentence } from '../../../../shared/sentences'
import { useSettings } from '../../../bridge'
import { remarksText } from '../../../i18n/texts'
import { Callout, ErrorCallout } from '../../../ui/Callout'
import { equalsSaved, isLabelPrinter, type PrinterRow, readPrinter } from './form'
import { TestVerdictPart } from './TestVerdict'
import { type ToolWords, usePrinterAnswer, usePrinterTools } from './tools'

/** Tests a printer: its connection, and a label to measure. */
export function PrinterTools({ printer: row }: { printer: PrinterRow }) {
  const { t } = useTranslation()
  const { busy, run } = usePrinterTools(row.id)
  // Main prints with the saved settings.
  const printers = useSettings((settings) => settings.printers) ?? []
  const saved = equalsSaved(row, printers)
  const printer = readPrinter(row)
  return (
    <>
      <Group gap={10}>
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={20} aria-hidden />}
          loading={busy}
          disabled={!printer}
          onClick={() => {
            if (printer) run({ kind: 'check', printer })
          }}
        >
          {t('common.testConnection')}
        </Button>
        <Button
          variant="default"
          leftSection={<IconRulerMeasure size={20} aria-hidden />}
          disabled={busy || !saved}
          title={saved ? undefined : t('printerTools.saveFirst')}
          onClick={() => run({ kind: 'test-label' })}
        >
          {t('printerTools.testLabel')}
        </Button>
        {measuresStock(row) ? (
          <Button
            variant="default"
            leftSection={<IconFocusCentered size={20} aria-hidden />}
            disabled={busy || !saved}
            title={saved ? t('printerTools.calibrateHint') : t('printerTools.saveFirst')}
            onClick={() => run({ kind: 'calibration' })}
          >
            {t('printerTools.calibrate')}
          </Button>
        ) : null}
      </Group>
      <PrinterAnswer printerId={row.id} />
      <TestVerdictPart printerId={row.id} />
    </>
  )
}

/**
 * Whether the printer can measure its stock: continuous stock has nothing to measure, and EPL2 measures gaps only.
 */
function measuresStock(row: PrinterRow): boolean {
  if (!isLabelPrinter(row)) return false
  const { language, stockTracking } = row
  return stockTracking !== 'continuous' && (language !== 'epl2' || stockTracking !== 'mark')
}

/** The result of the last test of a printer. */
export function PrinterAnswer({ printerId }: { printerId: string }) {
  const { t } = useTranslation()
  const answer = usePrinterAnswer(printerId)
  const inWords = (words: ToolWords) => {
    const says = 'remarks' in words ? remarksText(t, words.remarks) : undefined
    return fillSentence(t(`printerTools.answers.${words.code}`, { skipInterpolation: true }), {
      ...words.details,
      says,
    })
  }
  return (
    <div role="status">
      {answer && answer.tone !== 'bad' ? <Callout tone={answer.tone}>{inWords(answer.words)}</Callout> : null}
      {answer?.tone === 'bad' ? <ErrorCallout error={answer.error} /> : null}
    </div>
  )
}
