import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { type TestVerdict, testVerdicts } from '../../../../shared/printing'
import { queryKey, useBridgeMutation, useBridgeQuery } from '../../../bridge'
import { formatRecent } from '../../../i18n/format'
import { Callout, ErrorCallout } from '../../../ui/Callout'
import styles from '../settings.module.css'
import { type ToolAnswer, usePrinterAnswer, usePrinterTools } from './tools'

/** Whether a test label came out, or may have: one that Windows keeps may still come out, and only a person sees it. */
function mayBePrinted(answer: ToolAnswer | undefined): boolean {
  if (answer?.tone === 'bad') return answer.error.code === 'print-unconfirmed'
  return answer?.tone === 'good' && ['written', 'taken'].includes(answer.words.code)
}

/** Asks for the result of the test label just printed, and shows the previous answer. */
export function TestVerdictPart({ printerId, onNoted }: { printerId: string; onNoted?: () => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const answer = usePrinterAnswer(printerId)
  const { forget } = usePrinterTools(printerId)
  const { mutate, error } = useBridgeMutation('noteTestVerdict', {
    onSuccess: (verdicts) => {
      client.setQueryData(queryKey('listTestVerdicts', undefined), verdicts)
      forget()
      onNoted?.()
    },
  })
  return (
    <>
      {mayBePrinted(answer) ? (
        <fieldset className={styles.verdict}>
          <legend>{t('testVerdict.question')}</legend>
          {testVerdicts.map((verdict) => (
            <Button
              key={verdict}
              variant={verdict === 'right' ? 'filled' : 'default'}
              onClick={() => mutate({ printerId, verdict })}
            >
              {t(`testVerdict.answers.${verdict}`)}
            </Button>
          ))}
        </fieldset>
      ) : (
        <LastVerdict printerId={printerId} />
      )}
      <ErrorCallout error={error} />
    </>
  )
}

/** The last answer about a test label, with operator and time. */
function LastVerdict({ printerId }: { printerId: string }) {
  const { t, i18n } = useTranslation()
  const { data: verdicts = [] } = useBridgeQuery('listTestVerdicts', undefined)
  const noted = verdicts.find((each) => each.printerId === printerId)
  const said = (verdict: TestVerdict) => t(`testVerdict.said.${verdict}`)
  return (
    <div role="status" className={styles.verdict}>
      {noted ? (
        <Callout tone={noted.verdict === 'right' && noted.isCurrent ? 'good' : 'attention'}>
          {said(noted.verdict)}{' '}
          {noted.isCurrent && noted.verdict !== 'right' ? t(`testVerdict.advice.${noted.verdict}`) : null}
          {noted.isCurrent ? null : t('testVerdict.changedSince')}{' '}
          <span className="pb-soft">
            {[formatRecent(noted.notedAt, i18n.language), noted.operator].filter(Boolean).join(', ')}
          </span>
        </Callout>
      ) : null}
    </div>
  )
}
