import { Button, Group, Switch } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useBridgeMutation, useBridgeQuery } from '../../bridge'
import { ErrorCallout } from '../../ui/Callout'
import { Panel } from '../../ui/Panel'
import { ForgetConsignee } from './ForgetConsignee'
import styles from './settings.module.css'
import { useTab } from './tabForm'

/** Whether consignees are remembered, their number, and ways to delete them. */
export function ConsigneesPanel() {
  const { t } = useTranslation()
  const { form } = useTab('station')
  const [isSure, setSure] = useState(false)
  const counted = useBridgeQuery('countConsignees', undefined)
  const forget = useBridgeMutation('forgetAllConsignees', {
    onSuccess: () => void counted.refetch(),
    onSettled: () => setSure(false),
  })
  const count = counted.data ?? 0
  return (
    <Panel title={t('consignees.title')}>
      <div className={styles.checks}>
        <Switch
          {...form.getInputProps('consignees', { type: 'checkbox' })}
          label={t('consignees.setting')}
          description={t('consignees.settingHint')}
        />
      </div>
      {count === 0 ? null : <ForgetConsignee />}
      <ErrorCallout error={forget.error} />
      <Group align="stretch" gap={10}>
        <p role="status">{t('consignees.count', { count })}</p>
        {count === 0 ? null : isSure ? (
          <Button color="red.9" loading={forget.isPending} onClick={() => forget.mutate(undefined)}>
            {t('consignees.forgetSure')}
          </Button>
        ) : (
          <Button variant="default" onClick={() => setSure(true)}>
            {t('consignees.forgetAll')}
          </Button>
        )}
      </Group>
    </Panel>
  )
}
