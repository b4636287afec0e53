import { Button, Flex, Group, Stack, Switch, Textarea } from '@mantine/core'
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Hop, NetworkStatus, NetworkTest } from '../../../shared/network'
import { queryKey, useBridgeMutation, useBridgeQuery } from '../../bridge'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { FormField, FormSelect } from '../../ui/FormField'
import { Panel } from '../../ui/Panel'
import { PasswordField, TextField } from '../../ui/TextField'
import { ConnectionTest } from './ConnectionTest'
import styles from './settings.module.css'
import { SaveBar, useTab } from './tabForm'

interface Credentials {
  user: string
  password: string
}

const noCredentials: Credentials = { user: '', password: '' }

/** The connection to the outside: proxy, trusted certificates, and a test that shows where a connection fails. */
export function NetworkTab({ hasAccount }: { hasAccount: boolean }) {
  const { form } = useTab('network')
  const { data: status } = useBridgeQuery('getNetwork', undefined)
  const [credentials, setCredentials] = useState(noCredentials)
  return (
    <div className={styles.wide}>
      <ProxyPanel status={status} hasAccount={hasAccount} />
      {form.values.mode === 'off' ? null : (
        <SigningIn status={status} credentials={credentials} onType={setCredentials} />
      )}
      <Certificates />
      <NetworkTestPanel credentials={credentials} />
      <SaveBar tab={useTab('network')} />
    </div>
  )
}

function ProxyPanel({ status, hasAccount }: { status: NetworkStatus | undefined; hasAccount: boolean }) {
  const { t } = useTranslation()
  const { form, isDirty } = useTab('network')
  const field = (path: 'host' | 'port' | 'exceptions') => ({
    ...form.getInputProps(path),
    label: t(`network.fields.${path}`),
  })
  return (
    <Panel title={t('network.proxy')}>
      <p className="pb-soft">{t('network.intro')}</p>
      <Stack gap={12}>
        <div className={styles.grid}>
          <FormSelect
            {...form.getInputProps('mode')}
            label={t('network.mode')}
            data={(['system', 'manual', 'off'] as const).map((value) => ({
              value,
              label: t(`network.modes.${value}`),
            }))}
          />
          {form.values.mode === 'manual' ? (
            <>
              <FormField {...field('host')} errorText={t('network.hostIssue')} />
              <FormField {...field('port')} numeric="whole" />
              <FormField
                {...field('exceptions')}
                hint={t('network.exceptionsHint')}
                errorText={t('network.hostIssue')}
              />
            </>
          ) : null}
        </div>
        {form.values.mode === 'manual' ? (
          <div className={styles.checks}>
            <Switch {...form.getInputProps('tls', { type: 'checkbox' })} label={t('network.fields.tls')} />
          </div>
        ) : null}
        {hasAccount && status !== undefined && !isDirty ? (
          <p role="status">
            {status.proxy === null ? t('network.nowDirect') : t('network.nowProxy', { proxy: status.proxy })}
          </p>
        ) : null}
      </Stack>
    </Panel>
  )
}

interface SigningInProps {
  status: NetworkStatus | undefined
  credentials: Credentials
  onType: (credentials: Credentials) => void
}

/** Stores the credentials at once: they are not part of the settings, and belong to the proxy in use. */
function SigningIn({ status, credentials, onType }: SigningInProps) {
  const { t } = useTranslation()
  const { isDirty } = useTab('network')
  const client = useQueryClient()
  // SECURITY: credentials must not stay in the mutation cache (docs/threat-model.md).
  const { mutate, reset, isPending, error } = useBridgeMutation('setProxyCredentials', {
    gcTime: 0,
    onSuccess(kept) {
      client.setQueryData(queryKey('getNetwork', undefined), kept)
      onType(noCredentials)
      reset()
    },
  })
  const isComplete = credentials.user !== '' && credentials.password !== ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isComplete && !isDirty) mutate({ credentials })
  }
  const kept = status?.credentialsFor ?? null
  return (
    <Panel title={t('network.credentials')}>
      <Flex component="form" direction="column" gap={12} onSubmit={submit}>
        <p role="status">
          {kept === null ? t('network.credentialsMissing') : t('network.credentialsKept', { proxy: kept })}
        </p>
        <div className={styles.grid}>
          <TextField
            data-secret
            label={t('network.fields.user')}
            maxLength={200}
            hint={isDirty ? t('network.saveFirst') : undefined}
            value={credentials.user}
            onChange={(user) => onType({ ...credentials, user })}
          />
          <PasswordField
            label={t('network.fields.password')}
            toggleLabel={t('common.showPassword')}
            maxLength={500}
            value={credentials.password}
            onChange={(password) => onType({ ...credentials, password })}
          />
        </div>
        <ErrorCallout error={error} />
        <Group gap={10}>
          <Button type="submit" variant="default" loading={isPending} disabled={!isComplete || isDirty}>
            {t('network.keepCredentials')}
          </Button>
          {kept === null ? null : (
            <Button variant="default" disabled={isPending} onClick={() => mutate({ credentials: null })}>
              {t('network.forgetCredentials')}
            </Button>
          )}
        </Group>
      </Flex>
    </Panel>
  )
}

function Certificates() {
  const { t } = useTranslation()
  const { form } = useTab('network')
  const { error, ...pem } = form.getInputProps('pem')
  return (
    <Panel title={t('network.certificates')}>
      <p className="pb-soft">{t('network.certificatesIntro')}</p>
      <Stack gap={12}>
        <div className={styles.checks}>
          <Switch {...form.getInputProps('system', { type: 'checkbox' })} label={t('network.system')} />
        </div>
        <FormField
          {...form.getInputProps('file')}
          label={t('network.fields.file')}
          hint={t('network.fileHint')}
          errorText={t('network.fileIssue')}
        />
        <Textarea
          {...pem}
          label={t('network.fields.pem')}
          description={t('network.pemHint')}
          error={error ? t('network.pemIssue') : undefined}
          rows={4}
          spellCheck={false}
          classNames={{ input: 'pb-mono' }}
        />
      </Stack>
    </Panel>
  )
}

function NetworkTestPanel({ credentials }: { credentials: Credentials }) {
  const { t } = useTranslation()
  const { read } = useTab('network')
  const [address, setAddress] = useState('')
  const test = useBridgeMutation('testNetwork', { gcTime: 0 })
  const run = () => {
    const { proxy, certificates } = read() ?? {}
    if (!proxy || !certificates) return
    const isTyped = credentials.user !== '' && credentials.password !== ''
    test.mutate({
      proxy,
      certificates,
      credentials: isTyped ? credentials : null,
      address: address.trim() === '' ? null : address,
    })
  }
  return (
    <Panel title={t('network.test')}>
      <p className="pb-soft">{t('network.testIntro')}</p>
      <Stack gap={12}>
        <div className={styles.grid}>
          <TextField
            label={t('network.fields.address')}
            hint={t('network.addressHint')}
            maxLength={500}
            value={address}
            onChange={setAddress}
          />
        </div>
        <ConnectionTest test={test} onRun={run}>
          {test.data ? <ConnectionPath test={test.data} /> : null}
        </ConnectionTest>
      </Stack>
    </Panel>
  )
}

/** The hops that were reached, and the hop that failed. */
function ConnectionPath({ test: { target, proxy, reached, failed, issuer } }: { test: NetworkTest }) {
  const { t } = useTranslation()
  const isWhole = failed === null && reached.includes('service')
  return (
    <>
      <p>{proxy === null ? t('network.direct', { target }) : t('network.through', { target, proxy })}</p>
      <ol className={styles.hops}>
        {reached.map((hop) => (
          <HopLine key={hop} hop={hop} isGood issuer={hop === 'trust' ? issuer : null} />
        ))}
        {failed === null ? null : <HopLine hop={failed.hop} isGood={false} issuer={null} />}
      </ol>
      {failed === null ? null : <ErrorCallout error={failed.error} />}
      {failed === null && !isWhole ? <Callout tone="info">{t('network.notAsked')}</Callout> : null}
    </>
  )
}

function HopLine({ hop, isGood, issuer }: { hop: Hop; isGood: boolean; issuer: string | null }) {
  const { t } = useTranslation()
  const Icon = isGood ? IconCircleCheck : IconCircleX
  return (
    <li data-good={isGood}>
      <Icon size={20} role="img" aria-label={isGood ? t('network.good') : t('network.bad')} />
      <span>
        {t(`network.hops.${hop}`)}
        {issuer === null ? null : <span className="pb-soft"> · {t('network.issuer', { issuer })}</span>}
      </span>
    </li>
  )
}
