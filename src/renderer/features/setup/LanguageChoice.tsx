import { Button } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppError } from '../../../shared/errors'
import type { Language } from '../../../shared/fields'
import { toResult, useSettings } from '../../bridge'
import { ErrorCallout } from '../../ui/Callout'
import styles from './setup.module.css'

const languages: readonly { code: Language; name: string }[] = [
  { code: 'en', name: 'English' },
  { code: 'nl', name: 'Nederlands' },
]

/** The first thing that set-up asks: the language, each in its own. */
export function LanguageChoice({ onChosen }: { onChosen: () => void }) {
  const { t } = useTranslation()
  const current = useSettings()?.language
  const [error, setError] = useState<AppError | null>(null)
  const choose = async (language: Language) => {
    const result = await toResult(window.packbench.changeSettings({ language }))
    setError(result.ok ? null : result.error)
    if (result.ok) onChosen()
  }
  return (
    <fieldset className={styles.language} aria-label={t('setup.language')}>
      {languages.map(({ code, name }) => (
        <Button
          key={code}
          lang={code}
          variant={code === current ? 'filled' : 'default'}
          aria-pressed={code === current}
          onClick={() => void choose(code)}
        >
          {name}
        </Button>
      ))}
      {error ? <ErrorCallout error={error} /> : null}
    </fieldset>
  )
}
