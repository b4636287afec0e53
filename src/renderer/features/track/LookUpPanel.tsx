import { Button, Stack } from '@mantine/core'
import { IconRoute, IconSearch } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { codesInText } from '../../../shared/tracking'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { useNavigation } from '../../ui/navigation'
import { Empty } from '../../ui/Panel'
import { TextField } from '../../ui/TextField'
import { useBulk } from './bulkStore'
import { TrackOptions } from './TrackOptions'
import { Ours, TrackResult } from './TrackResult'
import styles from './track.module.css'
import { useLookUp, useTrack } from './trackStore'

/** Looks up one tracking code: shows what the station knows at once, then the service's answer. */
export function LookUpPanel() {
  const { t } = useTranslation()
  const known = useLookUp()
  const { result, error, busy, ours } = known
  return (
    <Stack gap={14} pb={16}>
      <LookUpForm busy={busy} />
      <Stack gap={14} aria-live="polite" aria-busy={busy}>
        <ErrorCallout error={error} />
        {result ? <TrackResult key={result.code} result={result} known={known} /> : null}
        {!result && ours ? (
          <Callout tone="info">
            <Ours known={known} />
          </Callout>
        ) : null}
        {!result && !error ? (
          <Empty
            icon={<IconRoute size={56} stroke={1.3} aria-hidden />}
            title={busy ? t('track.lookingUp') : t('track.emptyTitle')}
            hint={busy ? '' : t('track.emptyHint')}
          />
        ) : null}
      </Stack>
    </Stack>
  )
}

function LookUpForm({ busy }: { busy: boolean }) {
  const { t } = useTranslation()
  const { code, codeMissing, setCode, lookUpTyped } = useTrack((state) => state)
  const load = useBulk((state) => state.load)
  const goToTrack = useNavigation((state) => state.goToTrack)
  const input = useRef<HTMLInputElement>(null)
  const toCode = () => {
    input.current?.focus()
    input.current?.select()
  }
  useEffect(toCode, [])
  return (
    <section className={`pb-surface ${styles.form}`} aria-label={t('track.form')}>
      <div className={styles.code}>
        <TextField
          ref={input}
          className={styles.codeField}
          label={t('track.code')}
          value={code}
          onChange={setCode}
          onPaste={(event) => {
            const text = event.clipboardData.getData('text/plain')
            const [first, ...others] = codesInText(text).codes
            // This single-line field would join what is pasted from a table.
            if (first === undefined || !/[\t\n\r\u2028\u2029]/.test(text)) return
            event.preventDefault()
            if (others.length === 0) {
              setCode(first)
              return
            }
            load(text)
            goToTrack('bulk')
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            event.currentTarget.select()
            lookUpTyped()
          }}
          errorText={codeMissing ? t('track.codeNeeded') : undefined}
          maxLength={10_000}
        />
        <Button
          className={styles.lookUp}
          loading={busy}
          leftSection={<IconSearch size={20} aria-hidden />}
          onClick={() => {
            toCode()
            lookUpTyped()
          }}
        >
          {t('track.lookUp')}
        </Button>
      </div>
      <TrackOptions />
    </section>
  )
}
