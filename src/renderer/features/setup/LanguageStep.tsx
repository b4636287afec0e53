import { Button, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { languages } from '../../../locales/languages'
import { languageSchema } from '../../../shared/fields'
import { useBridgeMutation, useSettings } from '../../bridge'
import { ErrorCallout } from '../../ui/Callout'
import { useNavigation } from '../../ui/navigation'
import styles from './setup.module.css'

/** The first step: the language, each by its own name. A choice moves on. */
export function LanguageStep() {
  const { t, i18n } = useTranslation()
  const current = useSettings((settings) => settings.language)
  const { goToSetup: goTo, leaveSetup } = useNavigation((state) => state)
  const { mutate, error, isPending } = useBridgeMutation('changeSettings')
  return (
    <div className={styles.narrow}>
      <h2 className={styles.heading}>{t('setup.languageTitle')}</h2>
      <ul className={styles.languages} aria-label={t('setup.language')}>
        {languageSchema.options.map((code) => (
          <li key={code}>
            <Button
              lang={code}
              size="xl"
              fullWidth
              variant={code === current ? 'filled' : 'default'}
              // Enter moves on in the current language.
              data-first={code === current || undefined}
              aria-disabled={isPending}
              onClick={() => mutate({ language: code }, { onSuccess: () => goTo('account') })}
            >
              {languages[code].name}
            </Button>
            <p lang={code}>{i18n.getFixedT(code)('setup.languageHint')}</p>
          </li>
        ))}
      </ul>
      <ErrorCallout error={error} />
      <Group align="stretch" gap={12} mt={6}>
        <Button variant="subtle" size="xl" onClick={() => leaveSetup()}>
          {t('setup.later')}
        </Button>
      </Group>
    </div>
  )
}
