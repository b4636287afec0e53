import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../ui/Panel'
import { useTrack } from './stores'
import styles from './track.module.css'

/** Codes that the service answered for besides the one asked for; each can be looked up by itself. */
export function OtherCodes({ codes }: { codes: readonly string[] }) {
  const { t } = useTranslation()
  const lookUp = useTrack((state) => state.lookUp)
  const setOptions = useTrack((state) => state.setOptions)
  if (codes.length === 0) return null
  return (
    <Panel title={t('track.others')}>
      <ul className={styles.others}>
        {codes.map((code) => (
          <li key={code}>
            <Button
              variant="default"
              aria-label={t('track.lookUpCode', { code })}
              onClick={() => {
                setOptions({ type: 'barcode' })
                void lookUp(code)
              }}
            >
              <span className={styles.otherCode}>{code}</span>
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
