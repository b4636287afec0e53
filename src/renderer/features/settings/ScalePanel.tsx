import { Button, Group } from '@mantine/core'
import { IconScale } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useBridgeMutation, useSettings } from '../../bridge'
import { ErrorCallout } from '../../ui/Callout'
import { Panel } from '../../ui/Panel'
import { chooseScale, useScaleText } from '../scale/scaleStore'

/** Chooses the scale and shows its reading. */
export function ScalePanel() {
  const { t } = useTranslation()
  const scale = useSettings((settings) => settings.scale)
  const text = useScaleText()
  const change = useBridgeMutation('changeSettings')
  return (
    <Panel title={t('scale.title')}>
      <p className="pb-soft">{t('scale.intro')}</p>
      <Group gap={10}>
        <Button
          variant="default"
          leftSection={<IconScale size={20} aria-hidden />}
          // Asks for the PIN if the settings require one; without it main refuses every scale.
          onClick={() => change.mutate({}, { onSuccess: chooseScale })}
        >
          {t('scale.choose')}
        </Button>
        {scale ? (
          <Button variant="default" onClick={() => change.mutate({ scale: null })}>
            {t('scale.forget')}
          </Button>
        ) : null}
      </Group>
      <div role="status">
        {scale ? (
          <p>
            <strong>{scale.name || t('scale.unnamed')}</strong>: {text}
          </p>
        ) : (
          <p>{t('scale.none')}</p>
        )}
      </div>
      <ErrorCallout error={change.error} />
    </Panel>
  )
}
