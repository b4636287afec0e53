import { ActionIcon, Box, Button, Flex, Group, Stack, Tabs } from '@mantine/core'
import {
  IconAlertTriangle,
  IconArrowLeft,
  IconFilePencil,
  IconLock,
  IconLockQuestion,
  IconTrash,
  IconUpload,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useLayoutEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { isRemovable, type ManifestDetails, type ManifestSummary } from '../../../shared/consignments'
import type { Settings } from '../../../shared/settings'
import { useBridgeMutation, useBridgeQuery } from '../../bridge'
import { formatNumber } from '../../i18n/format'
import { Badge } from '../../ui/Badge'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { ConfirmButton } from '../../ui/ConfirmButton'
import { fieldName } from './Grid'
import { useGrid } from './gridStore'
import { CancelledParcels } from './LinesAdvice'
import { LinesTab } from './LinesTab'
import styles from './manifests.module.css'
import { manifestTabs, useOpenManifest } from './openManifestStore'
import { PreAlertTab } from './PreAlertTab'
import { pageCallOptions, useCallState, useShowManifest } from './queries'
import { SendTab } from './SendTab'
import { HistoryTab } from './Submissions'

interface ManifestPageProps {
  page: ManifestDetails
  settings: Settings
}

/** The page of an air waybill: lines, checks, upload, pre-alert and history. */
export function ManifestPage({ page, settings }: ManifestPageProps) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const tab = useOpenManifest((state) => state.tab)
  const { error } = useCallState(page.id)
  const { saveError } = page.summary
  // A layout effect, so that no line of the previous manifest is ever shown or edited.
  useLayoutEffect(() => {
    useGrid
      .getStore(client)
      .getState()
      .open(page.id, page.summary, page.lock === 'locked')
  }, [client, page])
  return (
    <div className={styles.screen}>
      <PageHead page={page} />
      <ErrorCallout error={error} />
      {saveError === null ? null : (
        <Callout tone="bad">{t('manifests.linesNotSaved', { reason: saveError })}</Callout>
      )}
      <Tabs
        value={tab}
        onChange={(value) => {
          const next = manifestTabs.find((name) => name === value)
          if (next) useOpenManifest.getStore(client).setState({ tab: next })
        }}
        keepMounted={false}
        className={styles.tabs}
      >
        <Tabs.List aria-label={t('manifests.tabs')}>
          <Tabs.Tab value="lines">{t('manifests.tabLines')}</Tabs.Tab>
          <Tabs.Tab value="checks">
            {t('manifests.tabChecks')}
            <IssueCount page={page} />
          </Tabs.Tab>
          <Tabs.Tab value="send">{t('manifests.tabSend')}</Tabs.Tab>
          <Tabs.Tab value="preAlert">{t('manifests.tabPreAlert')}</Tabs.Tab>
          <Tabs.Tab value="history">{t('manifests.tabHistory')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="lines" className={styles.linesPanel}>
          <LinesTab page={page} />
        </Tabs.Panel>
        <Tabs.Panel value="checks" pt={14}>
          <Stack gap={12}>
            <CancelledParcels page={page} />
            <ChecksTab page={page} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="send" pt={14}>
          <SendTab page={page} lockAgreed={settings.manifestLockAgreed} />
        </Tabs.Panel>
        <Tabs.Panel value="preAlert" pt={14}>
          <PreAlertTab key={page.id} page={page} />
        </Tabs.Panel>
        <Tabs.Panel value="history" pt={14}>
          <HistoryTab page={page} />
        </Tabs.Panel>
      </Tabs>
    </div>
  )
}

function IssueCount({ page }: { page: ManifestDetails }) {
  const { t } = useTranslation()
  const { errors } = page.summary
  return errors === 0 ? null : (
    <Box component="span" ml={8} c="var(--pb-bad)" fw={650}>
      {t('manifests.errors', { count: errors })}
    </Box>
  )
}

function PageHead({ page }: { page: ManifestDetails }) {
  const { t } = useTranslation()
  const showManifest = useShowManifest()
  return (
    <Group gap="6px 14px">
      <Button
        variant="subtle"
        leftSection={<IconArrowLeft size={20} aria-hidden />}
        onClick={() => showManifest(null)}
      >
        {t('manifests.back')}
      </Button>
      <h1 className="pb-title">{page.airWaybillNumber}</h1>
      <StateBadges manifest={page} />
      <RemoveWaybill page={page} />
      <Totals page={page} />
    </Group>
  )
}

function Totals({ page }: { page: ManifestDetails }) {
  const { t, i18n } = useTranslation()
  const { totals, lines } = page.summary
  const number = (value: number) => formatNumber(value, i18n.language)
  const facts = [
    { name: t('manifests.totalLines'), value: number(lines) },
    { name: t('manifests.totalPackages'), value: number(totals.packages) },
    { name: t('manifests.totalParcels'), value: number(totals.parcels) },
    { name: t('manifests.totalWeight'), value: number(totals.parcelWeight) },
    ...totals.prices
      .filter(({ total }) => total !== 0)
      .slice(0, 2)
      .map(({ currency, total }) => ({
        name: t('manifests.totalPrice'),
        value: `${currency === '' ? t('manifests.noCurrency') : currency} ${number(total)}`,
      })),
  ]
  return (
    <dl className={styles.totals} aria-label={t('manifests.totals')}>
      {facts.map(({ name, value }) => (
        <div key={`${name}${value}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const issuesShown = 300

/** All issues, errors first; a click selects the cell. */
function ChecksTab({ page }: { page: ManifestDetails }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const shown = { manifestId: page.id, offset: 0, limit: issuesShown }
  const { data: issues = [] } = useBridgeQuery('listManifestIssues', shown)
  const { errors, advice, lines } = page.summary
  const isCut = issues.length > 0 && issues.length < errors + advice
  if (lines === 0) return <Callout tone="info">{t('manifests.noLines')}</Callout>
  if (errors + advice === 0) return <Callout tone="good">{t('manifests.checksGood')}</Callout>
  return (
    <Stack gap={12}>
      <p>
        {errors === 0 ? t('manifests.allGood') : t('manifests.errors', { count: errors })},{' '}
        {t('manifests.advice', { count: advice })}.{' '}
        {isCut ? t('manifests.checksMore', { count: issues.length }) : ''}
      </p>
      <ul className="pb-surface">
        {issues.map((issue) => (
          <li key={`${issue.row} ${issue.column} ${issue.code}`} className={styles.issue}>
            <button
              type="button"
              className={styles.issueLink}
              onClick={() => {
                useGrid.getStore(client).getState().select({ row: issue.row, column: issue.column })
                useOpenManifest.getStore(client).setState({ tab: 'lines' })
              }}
            >
              {t('manifests.cellOf', { line: issue.row + 1, field: fieldName(t, issue.column) })}
            </button>
            <span className={styles.severity} data-severity={issue.severity}>
              {issue.severity === 'error' ? t('manifests.error') : t('manifests.adviceWord')}
            </span>
            <span>{t(`issues.${issue.code}`, { detail: issue.detail })}</span>
          </li>
        ))}
      </ul>
    </Stack>
  )
}

/** Removes an air waybill of which nothing was sent, e.g. one with a wrong number. */
function RemoveWaybill({ page }: { page: ManifestDetails }) {
  const { t } = useTranslation()
  const showManifest = useShowManifest()
  const openId = useOpenManifest.getStore(useQueryClient())
  const { mutate: remove } = useBridgeMutation('removeManifest', {
    ...pageCallOptions(page.id),
    onSuccess: () => {
      if (openId.getState().manifestId === page.id) showManifest(null)
    },
  })
  if (!isRemovable(page)) return null
  return (
    <ConfirmButton
      open={(ask) => (
        <ActionIcon aria-label={t('manifests.remove')} title={t('manifests.remove')} onClick={ask}>
          <IconTrash size={22} aria-hidden />
        </ActionIcon>
      )}
      title={t('manifests.removeTitle', { number: page.airWaybillNumber })}
      confirm={t('manifests.remove')}
      onConfirm={() => remove({ manifestId: page.id })}
    >
      <p>{t('manifests.removeText')}</p>
    </ConfirmButton>
  )
}

/** The state of an air waybill's manifest, and its unknown outcomes. */
export function StateBadges({ manifest }: { manifest: ManifestSummary }) {
  const { t } = useTranslation()
  const looks = {
    draft: { look: { tone: 'quiet', Icon: IconFilePencil }, text: t('manifests.stateDraft') },
    uploaded: { look: { tone: 'good', Icon: IconUpload }, text: t('manifests.stateUploaded') },
    locked: {
      look: { tone: 'known', Icon: manifest.lock === 'locked' ? IconLock : IconLockQuestion },
      text: manifest.lock === 'locked' ? t('manifests.stateLocked') : t('manifests.lockAssumed'),
    },
  } as const
  return (
    <Flex component="span" wrap="wrap" display="inline-flex" gap={8}>
      {manifest.hasUnsentLines ? (
        <Badge look={{ tone: 'attention', Icon: IconAlertTriangle }} text={t('manifests.unsentLines')} />
      ) : null}
      {manifest.hasUnsentLines && manifest.state === 'uploaded' ? null : <Badge {...looks[manifest.state]} />}
      {manifest.lock === 'uncertain' ? (
        <Badge look={{ tone: 'attention', Icon: IconLockQuestion }} text={t('manifests.lockUncertain')} />
      ) : null}
      {manifest.unknownUpload ? (
        <Badge look={{ tone: 'attention', Icon: IconAlertTriangle }} text={t('manifests.unknownUpload')} />
      ) : null}
      {manifest.unknownPreAlert ? (
        <Badge look={{ tone: 'attention', Icon: IconAlertTriangle }} text={t('manifests.unknownPreAlert')} />
      ) : null}
    </Flex>
  )
}
