import { Button, Flex, Group, Stack, Switch } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppError } from '../../../shared/errors'
import {
  type FleetConflict,
  type FleetHold,
  type FleetOverview,
  type FleetStation,
  isForeignJournal,
  maxFleetRows,
} from '../../../shared/fleet'
import { useBridgeMutation, useBridgeQuery, useSettings } from '../../bridge'
import { formatMoment } from '../../i18n/format'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { ConfirmButton } from '../../ui/ConfirmButton'
import { FormField, FormSelect, toChoices } from '../../ui/FormField'
import { useNavigation } from '../../ui/navigation'
import { Panel } from '../../ui/Panel'
import { PasswordField } from '../../ui/TextField'
import { ConnectionTest } from './ConnectionTest'
import styles from './settings.module.css'
import { SaveBar, useTab } from './tabForm'

/** The database that several stations share: connection, stations, and conflicts between them. */
export function FleetTab() {
  const overview = useBridgeQuery('getFleet', undefined).data
  const [password, setPassword] = useState('')
  const isOn = useTab('fleet').form.values.on
  return (
    <div className={styles.wide}>
      {overview === undefined ? null : <State overview={overview} />}
      <Database password={password} />
      {isOn ? (
        <Password password={password} onType={setPassword} hasPassword={overview?.hasPassword} />
      ) : null}
      {overview?.conflicts.length ? <Conflicts conflicts={overview.conflicts} /> : null}
      {overview?.holds.length ? <Holds holds={overview.holds} /> : null}
      {overview?.stations.length ? <Stations stations={overview.stations} /> : null}
      <SaveBar tab={useTab('fleet')} />
    </div>
  )
}

function State({ overview: { status } }: { overview: FleetOverview }) {
  const { t } = useTranslation()
  const { state, error, backlog, shipsWhenAway } = status
  if (state === 'off') return null
  if (error !== null) {
    return (
      <>
        <ErrorCallout error={error} />
        {state === 'away' ? <p>{t(shipsWhenAway ? 'fleet.awayShips' : 'fleet.awayHolds')}</p> : null}
        {error.code === 'fleet-settings-missing' ? <Leave /> : null}
        {isForeignJournal(error) ? <JoinAsNew /> : null}
      </>
    )
  }
  return (
    <Callout tone={state === 'joined' ? 'good' : 'attention'}>
      {t(`fleet.state.${state}`)}
      {backlog > 0 ? ` ${t('fleet.backlog', { count: backlog })}` : ''}
    </Callout>
  )
}

/** Leaves a fleet that the settings do not name: the switch is off already. */
function Leave() {
  const change = useBridgeMutation('changeSettings')
  return <Decision words="leave" decision={change} onConfirm={() => change.mutate({ fleet: null })} />
}

/** Joins as a new station, without leaving the fleet in between: nothing is created before the other stations are asked. */
function JoinAsNew() {
  const join = useBridgeMutation('joinFleetAsNewStation')
  return <Decision words="joinAsNew" decision={join} onConfirm={() => join.mutate(undefined)} />
}

interface DecisionProps {
  words: 'leave' | 'joinAsNew'
  decision: { isPending: boolean; error: AppError | null }
  onConfirm: () => void
}

function Decision({ words, decision, onConfirm }: DecisionProps) {
  const { t } = useTranslation()
  return (
    <>
      <ConfirmButton
        open={t(`fleet.${words}.open`)}
        loading={decision.isPending}
        title={t(`fleet.${words}.title`)}
        confirm={t(`fleet.${words}.confirm`)}
        onConfirm={onConfirm}
      >
        <p>{t(`fleet.${words}.text`)}</p>
      </ConfirmButton>
      <ErrorCallout error={decision.error} />
    </>
  )
}

function Database({ password }: { password: string }) {
  const { t } = useTranslation()
  const { form, read } = useTab('fleet')
  const test = useBridgeMutation('testFleet', { gcTime: 0 })
  const runTest = () => {
    const typed = read()?.fleet
    if (typed) test.mutate({ settings: typed, password: password === '' ? null : password })
  }
  const field = (path: Exclude<keyof typeof form.values, 'on'>) => ({
    ...form.getInputProps(path),
    label: t(`fleet.fields.${path}`),
  })
  return (
    <Panel title={t('fleet.database')}>
      <p className="pb-soft">{t('fleet.intro')}</p>
      <div className={styles.checks}>
        <Switch {...form.getInputProps('on', { type: 'checkbox' })} label={t('fleet.on')} />
      </div>
      {form.values.on ? (
        <Stack gap={12}>
          <div className={styles.grid}>
            <FormField {...field('station')} hint={t('fleet.stationHint')} />
            <FormField {...field('host')} />
            <FormField {...field('port')} numeric="whole" />
            <FormField {...field('database')} />
            <FormField {...field('user')} />
            <FormSelect
              {...field('tls')}
              errorText={t('fleet.tlsIssue')}
              data={toChoices({ verify: t('fleet.tlsVerify'), off: t('fleet.tlsOff') })}
            />
            {form.values.tls === 'verify' ? (
              <FormField {...field('caFile')} hint={t('fleet.caFileHint')} />
            ) : null}
            <FormSelect
              {...field('whenUnreachable')}
              data={toChoices({ hold: t('fleet.hold'), ship: t('fleet.ship') })}
            />
          </div>
          <ConnectionTest test={test} onRun={runTest}>
            {test.data ? (
              <Callout tone="good">
                {t('fleet.testGood', {
                  version: test.data.serverVersion,
                  time: Math.round(test.data.roundTripMs),
                })}
              </Callout>
            ) : null}
          </ConnectionTest>
        </Stack>
      ) : null}
    </Panel>
  )
}

interface PasswordProps {
  password: string
  onType: (password: string) => void
  hasPassword: boolean | undefined
}

/** Stores the password at once: it is not part of the settings, and belongs to the saved server and user. */
function Password({ password, onType, hasPassword }: PasswordProps) {
  const { t } = useTranslation()
  const { isDirty } = useTab('fleet')
  const isSaved = useSettings((settings) => settings.fleet) !== null && !isDirty
  // SECURITY: the password must not stay in the mutation cache (docs/threat-model.md).
  const { mutate, isPending, error, reset } = useBridgeMutation('setFleetPassword', {
    gcTime: 0,
    onSuccess() {
      onType('')
      reset()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (password !== '' && isSaved) mutate({ password })
  }
  return (
    <Panel title={t('fleet.password')}>
      <Flex component="form" direction="column" gap={12} onSubmit={submit}>
        <p role="status">{t(hasPassword ? 'fleet.passwordKept' : 'fleet.passwordMissing')}</p>
        <div className={styles.grid}>
          <PasswordField
            maxLength={500}
            toggleLabel={t('common.showPassword')}
            label={t('fleet.newPassword')}
            hint={isSaved ? undefined : t('fleet.saveFirst')}
            value={password}
            onChange={onType}
          />
        </div>
        <ErrorCallout error={error} />
        <Group gap={10}>
          <Button type="submit" variant="default" loading={isPending} disabled={password === '' || !isSaved}>
            {t('fleet.keepPassword')}
          </Button>
        </Group>
      </Flex>
    </Panel>
  )
}

function Stations({ stations }: { stations: readonly FleetStation[] }) {
  const { t } = useTranslation()
  return (
    <Panel title={t('fleet.stations')}>
      <table className={styles.table}>
        <caption className="pb-unseen">{t('fleet.stations')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('fleet.fields.station')}</th>
            <th scope="col">{t('fleet.version')}</th>
            <th scope="col">{t('fleet.seen')}</th>
            <th scope="col">{t('fleet.today')}</th>
            <th scope="col">
              <span className="pb-unseen">{t('fleet.lost.declare')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {stations.map((station) => (
            <tr key={station.id}>
              <td>{station.isThisOne ? t('fleet.thisStation', { name: station.name }) : station.name}</td>
              <td>{station.version}</td>
              <td>
                <LastSeen station={station} />
              </td>
              <td>{station.createdToday}</td>
              <td>
                <Lost station={station} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

/** A station must be silent this long before it can be declared lost. */
const lostAfterSeconds = 15 * 60

/** Declares that a station will not come back, so that its unfinished shipments can be resolved. */
function Lost({ station: { id, name, isLost, isThisOne, silentSeconds } }: { station: FleetStation }) {
  const { t } = useTranslation()
  const declare = useBridgeMutation('declareStationLost')
  if (isLost) return t('fleet.lost.is')
  if (isThisOne || silentSeconds < lostAfterSeconds) return null
  return (
    <>
      <ConfirmButton
        open={t('fleet.lost.declare')}
        loading={declare.isPending}
        title={t('fleet.lost.title', { name })}
        confirm={t('fleet.lost.confirm')}
        onConfirm={() => declare.mutate({ stationId: id })}
      >
        <p>{t('fleet.lost.text')}</p>
      </ConfirmButton>
      <ErrorCallout error={declare.error} />
    </>
  )
}

/** Stations report every few seconds. */
const silentAfterSeconds = 30

function LastSeen({ station: { seenAt, silentSeconds } }: { station: FleetStation }) {
  const { t, i18n } = useTranslation()
  return silentSeconds < silentAfterSeconds ? t('fleet.now') : formatMoment(seenAt, i18n.language)
}

/** Notes that a list may be longer than shown. */
function OldestShown({ rows }: { rows: readonly unknown[] }) {
  const { t } = useTranslation()
  if (rows.length < maxFleetRows) return null
  return <p className="pb-soft">{t('fleet.oldestShown', { count: rows.length })}</p>
}

/** References held by stations: being created, or unknown until resolved. */
function Holds({ holds }: { holds: readonly FleetHold[] }) {
  const { t, i18n } = useTranslation()
  const showShipment = useNavigation((state) => state.showShipment)
  return (
    <Panel title={t('fleet.holds')}>
      <OldestShown rows={holds} />
      <table className={styles.table}>
        <caption className="pb-unseen">{t('fleet.holds')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('fleet.reference')}</th>
            <th scope="col">{t('fleet.fields.station')}</th>
            <th scope="col">{t('people.operator')}</th>
            <th scope="col">{t('fleet.since')}</th>
            <th scope="col">{t('fleet.holdState')}</th>
          </tr>
        </thead>
        <tbody>
          {holds.map(({ reference, station, operator, since, isUnknown, shipmentId }) => (
            <tr key={reference}>
              <td>{reference}</td>
              <td>{station}</td>
              <td>{operator ?? ''}</td>
              <td>{formatMoment(since, i18n.language)}</td>
              <td>
                {isUnknown ? (
                  <Button variant="default" onClick={() => showShipment(shipmentId, 'all')}>
                    {t('fleet.resolveHold', { reference })}
                  </Button>
                ) : (
                  t('fleet.underWay')
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

function Conflicts({ conflicts }: { conflicts: readonly FleetConflict[] }) {
  const { t, i18n } = useTranslation()
  const close = useBridgeMutation('closeFleetConflict')
  const words = ({ station, barcodes, takenAt }: FleetConflict['one']) =>
    [station, formatMoment(takenAt, i18n.language), ...barcodes].join(' · ')
  return (
    <Panel title={t('fleet.conflicts')}>
      <p className="pb-soft">{t('fleet.conflictsHint')}</p>
      <OldestShown rows={conflicts} />
      <ErrorCallout error={close.error} />
      <table className={styles.table}>
        <caption className="pb-unseen">{t('fleet.conflicts')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('fleet.reference')}</th>
            <th scope="col">{t('fleet.one')}</th>
            <th scope="col">{t('fleet.other')}</th>
            <th scope="col">
              <span className="pb-unseen">{t('common.close')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {conflicts.map(({ id, kind, reference, one, other }) => (
            <tr key={id}>
              <td>
                {reference}
                {kind === 'both-shipped' ? null : <p>{t(`fleet.conflictKinds.${kind}`)}</p>}
              </td>
              <td>{words(one)}</td>
              <td>{words(other)}</td>
              <td>
                <Button
                  variant="default"
                  aria-label={t('fleet.closeConflict', { reference })}
                  onClick={() => close.mutate({ id })}
                >
                  {t('common.close')}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
