import { Box, Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AccountStatus } from '../../../shared/account'
import { useBridgeMutation } from '../../bridge'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { ConfirmButton } from '../../ui/ConfirmButton'
import { CopyValue } from '../../ui/CopyValue'
import { useNavigation } from '../../ui/navigation'
import { Panel } from '../../ui/Panel'
import { AccountForm, useAccountUpdate, useStorageText } from './AccountForm'
import styles from './settings.module.css'

/** The account at the service: connect, test, replace or forget it. */
export function AccountTab({ account }: { account: AccountStatus }) {
  const { t } = useTranslation()
  const [replacing, setReplacing] = useState(false)
  const showForm = replacing || account.state === 'none'
  return (
    <div className={styles.narrow}>
      {account.state === 'connected' ? null : <StateWords account={account} />}
      {account.state === 'none' ? null : <Facts account={account} />}
      {showForm ? (
        <Panel title={account.state === 'none' ? t('accountTab.connect') : t('accountTab.replace')}>
          <AccountForm
            account={account}
            onConnected={() => setReplacing(false)}
            more={
              account.state === 'none' ? null : (
                <Button variant="default" size="xl" onClick={() => setReplacing(false)}>
                  {t('common.cancel')}
                </Button>
              )
            }
          />
        </Panel>
      ) : (
        <Actions account={account} onReplace={() => setReplacing(true)} />
      )}
    </div>
  )
}

function StateWords({ account }: { account: AccountStatus }) {
  const { t } = useTranslation()
  if (account.state === 'connected') return null
  const words = {
    none: t('accountTab.none'),
    locked: t('accountTab.locked'),
    'not-connected': t('accountTab.notConnected'),
  }
  return (
    <>
      {account.error?.code === 'vault-locked' ? null : (
        <Callout tone="attention">{words[account.state]}</Callout>
      )}
      <ErrorCallout error={account.error} />
    </>
  )
}

function Facts({ account }: { account: AccountStatus }) {
  const { t } = useTranslation()
  const storageText = useStorageText()
  const ids = [
    { name: t('accountTab.customerId'), value: account.customerId },
    { name: t('accountTab.accountId'), value: account.accountId },
  ]
  return (
    <dl className={`pb-surface ${styles.facts}`}>
      <dt>{t('accountTab.connectedAs')}</dt>
      <Box component="dd" fz={20} fw={650}>
        {account.name ?? t('common.none')}
      </Box>
      <dt>{t('accountTab.host')}</dt>
      <dd>{account.host ?? t('common.none')}</dd>
      {ids.map(({ name, value }) =>
        value ? (
          <Box key={name} display="contents">
            <dt>{name}</dt>
            <dd>
              <CopyValue what={name} value={value} />
            </dd>
          </Box>
        ) : null,
      )}
      <dt>{t('accountTab.storage')}</dt>
      <dd>{storageText(account)}</dd>
    </dl>
  )
}

function Actions({ account, onReplace }: { account: AccountStatus; onReplace: () => void }) {
  const { t } = useTranslation()
  const leaveSetup = useNavigation((state) => state.leaveSetup)
  const taken = useAccountUpdate()
  const test = useBridgeMutation('testAccount', taken)
  const forget = useBridgeMutation('forgetAccount', taken)
  const busy = test.isPending || forget.isPending
  const error = forget.error ?? test.error ?? test.data?.error
  return (
    <>
      <ErrorCallout error={error} />
      {!busy && test.data?.state === 'connected' ? (
        <Callout tone="good">{t('accountTab.testGood')}</Callout>
      ) : null}
      <Group align="stretch" gap={10}>
        <Button loading={busy} onClick={() => test.mutate(undefined)}>
          {account.isKeyringLocked ? t('setup.unlock') : t('common.testConnection')}
        </Button>
        <Button variant="default" disabled={busy} onClick={onReplace}>
          {t('accountTab.replace')}
        </Button>
        <ConfirmButton
          open={t('accountTab.forget')}
          disabled={busy}
          title={t('accountTab.forgetTitle')}
          confirm={t('accountTab.forgetConfirm')}
          onConfirm={() => {
            // Keeps the operator in the settings; without an account set-up would open.
            leaveSetup()
            forget.mutate(undefined)
          }}
        >
          <p>{t('accountTab.forgetText')}</p>
        </ConfirmButton>
      </Group>
    </>
  )
}
