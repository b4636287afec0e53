import { Button, NativeSelect } from '@mantine/core'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { historyPeriodSchema, historyStateSchema } from '../../../shared/history'
import { nameCarrierOptions, type Settings } from '../../../shared/settings'
import { shipmentOriginSchema } from '../../../shared/shipments'
import { useBridgeMutation, useBridgeQuery } from '../../bridge'
import { countryName } from '../../i18n/countryNames'
import { ErrorCallout } from '../../ui/Callout'
import { CarrierOptionFilter } from '../../ui/CarrierOptionFilter'
import { ChoiceSelect, FilterSelect } from '../../ui/ChoiceSelect'
import { unfilteredHistory, useNavigation } from '../../ui/navigation'
import { TextField } from '../../ui/TextField'
import { countFilters } from './filters'
import styles from './history.module.css'

/** The filters of History, and saving them as a view. */
export function HistoryFilters({ settings }: { settings: Settings }) {
  const { t, i18n } = useTranslation()
  const history = useNavigation((state) => state.history)
  const setHistory = useNavigation((state) => state.setHistory)
  const choices = useBridgeQuery('listHistoryChoices', { stations: history.stations }).data
  return (
    <fieldset className={styles.filters} aria-label={t('historyTable.filters')}>
      <ChoiceSelect
        label={t('historyTable.period')}
        value={history.period}
        choices={historyPeriodSchema.options.map((value) => ({
          value,
          label: t(`historyTable.periods.${value}`),
        }))}
        onChange={(period) => setHistory({ period })}
      />
      <FilterSelect
        label={t('historyTable.columns.state')}
        value={history.state ?? ''}
        values={historyStateSchema.options.filter((value) => value !== 'intended')}
        toLabel={(value) =>
          value === 'cancelled' ? t('historyTable.cancelled') : t(`historyTable.states.${value}`)
        }
        onChange={(state) => setHistory({ state: state || null })}
      />
      <CarrierOptionFilter
        names={nameCarrierOptions(settings.carriers)}
        stations={history.stations}
        value={history.carrierOptionId}
        onChange={(carrierOptionId) => setHistory({ carrierOptionId })}
      />
      <FilterSelect
        label={t('historyTable.columns.country')}
        value={history.country}
        values={choices?.countries ?? []}
        toLabel={(value) => `${countryName(value, i18n.language)} (${value})`}
        onChange={(country) => setHistory({ country })}
      />
      <FilterSelect
        label={t('people.operator')}
        value={history.operator}
        values={choices?.operators ?? []}
        onChange={(operator) => setHistory({ operator })}
      />
      <FilterSelect
        label={t('historyTable.source')}
        value={history.origin ?? ''}
        values={shipmentOriginSchema.options}
        toLabel={(value) => t(`history.origins.${value}`)}
        onChange={(origin) => setHistory({ origin: origin || null })}
      />
      {countFilters(history) > 0 ? (
        <Button
          variant="subtle"
          onClick={() =>
            setHistory({
              ...unfilteredHistory,
              ...{ text: history.text, selectedId: history.selectedId, stations: history.stations },
            })
          }
        >
          {t('historyTable.clear')}
        </Button>
      ) : null}
      <SaveView settings={settings} />
    </fieldset>
  )
}

/** Saves the filters as a view; a view of the same name is replaced. */
function SaveView({ settings: { historyViews } }: { settings: Settings }) {
  const { t } = useTranslation()
  const [name, setName] = useState('')
  const id = useId()
  const history = useNavigation((state) => state.history)
  const change = useBridgeMutation('changeSettings', { onSuccess: () => setName('') })
  const others = historyViews.filter((view) => view.name !== name.trim())
  const isKnown = others.length < historyViews.length
  const { period, selectedId: _, ...filter } = history
  return (
    <form
      className={styles.saveView}
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() === '') return
        change.mutate({ historyViews: [...others, { name: name.trim(), period, filter }] })
      }}
    >
      <TextField
        id={id}
        label={t('historyTable.viewName')}
        value={name}
        onChange={setName}
        maxLength={60}
        list={`${id}-known`}
      />
      <datalist id={`${id}-known`}>
        {historyViews.map((view) => (
          <option key={view.name} value={view.name} />
        ))}
      </datalist>
      <Button type="submit" variant="default" disabled={name.trim() === ''} loading={change.isPending}>
        {t('historyTable.saveView')}
      </Button>
      {isKnown ? (
        <Button variant="default" onClick={() => change.mutate({ historyViews: others })}>
          {t('historyTable.forgetView')}
        </Button>
      ) : null}
      <ErrorCallout error={change.error} />
    </form>
  )
}

/** Selects a saved view; hidden if there are none. */
export function ChooseView({ settings: { historyViews } }: { settings: Settings }) {
  const { t } = useTranslation()
  const history = useNavigation((state) => state.history)
  const setHistory = useNavigation((state) => state.setHistory)
  if (historyViews.length === 0) return null
  const { selectedId: _, ...shown } = history
  const current = historyViews.find(
    ({ filter, period }) => JSON.stringify(sorted({ ...filter, period })) === JSON.stringify(sorted(shown)),
  )
  return (
    <NativeSelect
      aria-label={t('historyTable.view')}
      value={current?.name ?? ''}
      data={[{ value: '', label: t('historyTable.noView') }, ...historyViews.map(({ name }) => name)]}
      onChange={(event) => {
        const chosen = historyViews.find(({ name }) => name === event.currentTarget.value)
        setHistory(chosen ? { ...chosen.filter, period: chosen.period } : unfilteredHistory)
      }}
    />
  )
}

function sorted(fields: object): [string, unknown][] {
  return Object.entries(fields).sort(([one], [other]) => one.localeCompare(other))
}
