import { ActionIcon, Button, Flex, SegmentedControl } from '@mantine/core'
import { IconArrowLeft, IconChevronLeft, IconChevronRight, IconDownload } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  type ShippingReport as Report,
  type ReportFigures,
  reportFormatSchema,
} from '../../../shared/history'
import { nameCarrierOptions, type Settings } from '../../../shared/settings'
import { useBridgeMutation, useBridgeQuery } from '../../bridge'
import { countryName } from '../../i18n/countryNames'
import { formatNumber, toLocale } from '../../i18n/format'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { addDays, today } from '../../ui/days'
import { useNavigation } from '../../ui/navigation'
import { findMonday } from './filters'
import { ReportChart } from './ReportChart'
import styles from './report.module.css'

/** A row of a table; the id tells apart groups of one name. */
type Group = ReportFigures & { id: string; name: string }

interface ShippingReportProps {
  settings: Settings
  onClose: () => void
}

/** The shipments of a day or week: totals, a chart, and figures by carrier option, country, operator and station. */
export function ShippingReport({ settings, onClose }: ShippingReportProps) {
  const { t, i18n } = useTranslation()
  const [length, setLength] = useState<'day' | 'week'>('day')
  const [day, setDay] = useState(() => today())
  const from = length === 'day' ? day : findMonday(day)
  const to = length === 'day' ? day : addDays(from, 6)
  const [stations, setStations] = useState(useNavigation((state) => state.history.stations))
  const { data, error } = useBridgeQuery('getShippingReport', { from, to, stations })
  const save = useBridgeMutation('saveShippingReport')
  const { from: savedFrom, to: savedTo, stations: savedStations } = save.variables ?? {}
  const isSaved = savedFrom === from && savedTo === to && savedStations === stations
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])
  const step = length === 'day' ? 1 : 7
  const next = addDays(day, step)
  const days = new Intl.DateTimeFormat(toLocale(i18n.language), {
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
  })
  const shown = (each: string) => days.format(new Date(`${each}T12:00:00Z`))
  return (
    <div className={styles.screen}>
      <Flex wrap="wrap" align="center" gap={10}>
        <Button variant="default" leftSection={<IconArrowLeft size={20} aria-hidden />} onClick={onClose}>
          {t('historyTable.backToList')}
        </Button>
        <h1 className="pb-title" ref={title} tabIndex={-1}>
          {t('historyReport.title')}
        </h1>
      </Flex>
      <Flex wrap="wrap" align="center" gap={10}>
        <fieldset className={styles.lengths} aria-label={t('historyReport.length')}>
          {(['day', 'week'] as const).map((each) => (
            <Button
              key={each}
              variant={length === each ? 'filled' : 'default'}
              aria-pressed={length === each}
              onClick={() => setLength(each)}
            >
              {t(`historyReport.${each}`)}
            </Button>
          ))}
        </fieldset>
        {settings.fleet === null ? null : (
          <SegmentedControl
            aria-label={t('historyTable.stations')}
            value={stations}
            data={[
              { value: 'this', label: t('historyTable.thisStation') },
              { value: 'all', label: t('historyTable.allStations') },
            ]}
            onChange={(value) => setStations(value === 'all' ? 'all' : 'this')}
          />
        )}
        <ActionIcon aria-label={t('historyReport.before')} onClick={() => setDay(addDays(day, -step))}>
          <IconChevronLeft size={22} aria-hidden />
        </ActionIcon>
        <strong className={styles.period} role="status">
          {from === to ? shown(from) : `${shown(from)} – ${shown(to)}`}
        </strong>
        <ActionIcon
          aria-label={t('historyReport.after')}
          disabled={to >= today()}
          onClick={() => setDay(next < today() ? next : today())}
        >
          <IconChevronRight size={22} aria-hidden />
        </ActionIcon>
        <Flex wrap="wrap" align="center" gap={10} ml="auto">
          {reportFormatSchema.options.map((format) => (
            <Button
              key={format}
              variant="default"
              leftSection={<IconDownload size={20} aria-hidden />}
              disabled={save.isPending}
              onClick={() => save.mutate({ from, to, stations, format })}
            >
              {t('historyReport.save', { format: format.toUpperCase() })}
            </Button>
          ))}
        </Flex>
      </Flex>
      <ErrorCallout error={error} />
      <ErrorCallout error={save.error} />
      {save.data && isSaved ? (
        <Callout tone="info">{t('historyReport.saved', { path: save.data })}</Callout>
      ) : null}
      {data ? <Figures report={data} isDay={length === 'day'} settings={settings} /> : null}
    </div>
  )
}

interface FiguresProps {
  report: Report
  isDay: boolean
  settings: Settings
}

function Figures({ report, isDay, settings }: FiguresProps) {
  const { t, i18n } = useTranslation()
  const { total, days, hours, carrierOptions, countries, operators, stations } = report
  const names = nameCarrierOptions(settings.carriers)
  const named = (groups: Report['days'], toName: (name: string) => string): Group[] =>
    groups.map((group) => ({ ...group, id: group.name, name: toName(group.name) }))
  const weekday = new Intl.DateTimeFormat(toLocale(i18n.language), {
    weekday: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  })
  const byHour = named(hours, (hour) => `${hour}:00`)
  const byDay = named(days, (day) => weekday.format(new Date(`${day}T12:00:00Z`)))
  return (
    <>
      <Flex component="dl" wrap="wrap" align="center" gap="10px 36px" className={styles.total}>
        {(['shipments', 'packages', 'weight'] as const).map((figure) => (
          <div key={figure}>
            <dt>{t(`historyReport.${figure}`)}</dt>
            <dd>{formatNumber(total[figure], i18n.language)}</dd>
          </div>
        ))}
      </Flex>
      {total.shipments === 0 ? <p className="pb-soft">{t('historyReport.empty')}</p> : null}
      <div className={styles.parts}>
        <ReportChart
          title={isDay ? t('historyReport.byHour') : t('historyReport.byDay')}
          groups={isDay ? byHour : byDay}
        />
        {isDay ? null : <Part title={t('historyReport.byHour')} groups={byHour} />}
        <Part
          title={t('historyReport.byCarrierOption')}
          groups={named(carrierOptions, (id) => names.get(Number(id)) ?? id)}
        />
        <Part
          title={t('historyReport.byCountry')}
          groups={named(countries, (code) =>
            code === '' ? t('common.none') : `${countryName(code, i18n.language)} (${code})`,
          )}
        />
        <Part
          title={t('historyReport.byOperator')}
          groups={named(operators, (name) => name || t('historyReport.none'))}
        />
        <Part title={t('historyReport.byStation')} groups={named(stations, (name) => name)} />
      </div>
      <p className="pb-soft">{t('historyReport.counted')}</p>
    </>
  )
}

function Part({ title, groups }: { title: string; groups: Group[] }) {
  const { t, i18n } = useTranslation()
  const used = groups.filter(({ shipments }) => shipments > 0)
  if (used.length === 0) return null
  return (
    <table className={styles.part}>
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">{t('historyReport.name')}</th>
          <th scope="col">{t('historyReport.shipments')}</th>
          <th scope="col">{t('historyReport.packages')}</th>
          <th scope="col">{t('historyReport.weight')}</th>
        </tr>
      </thead>
      <tbody>
        {used.map(({ id, name, shipments, packages, weight }) => (
          <tr key={id}>
            <th scope="row">{name}</th>
            <td>{formatNumber(shipments, i18n.language)}</td>
            <td>{formatNumber(packages, i18n.language)}</td>
            <td>{formatNumber(weight, i18n.language)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
