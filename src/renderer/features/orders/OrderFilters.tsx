import { Button, NativeSelect, Popover } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { orderSortSchema } from '../../../shared/orders'
import { useBridgeQuery, useSettings } from '../../bridge'
import { countryName } from '../../i18n/countryNames'
import { FilterSelect } from '../../ui/ChoiceSelect'
import { listOptionChoices } from '../../ui/carrierOptions'
import { DateField } from '../../ui/DateField'
import { readDay } from '../../ui/days'
import styles from './orders.module.css'
import { countFilters, noFilters, useOrdersView } from './ordersViewStore'

/** Filters and sorting of the list, behind a button with the number of active filters. */
export function OrderFilters() {
  const { t, i18n } = useTranslation()
  const filter = useOrdersView((view) => view.filter)
  const show = useOrdersView((view) => view.show)
  const choices = useBridgeQuery('listOrderFilters', { state: filter.state }).data
  const carriers = useSettings((settings) => settings.carriers) ?? []
  const count = countFilters(filter)
  const named = listOptionChoices(carriers)
  /** The dates as typed; an incomplete date filters nothing. */
  const [days, setDays] = useState({ from: filter.from, to: filter.to })
  const day = (name: 'from' | 'to') => (
    <DateField
      label={t(`orders.${name}`)}
      value={days[name]}
      onChange={(value) => {
        setDays({ ...days, [name]: value })
        show({ [name]: readDay(value) ?? '' })
      }}
    />
  )
  return (
    // In a small window it covers its button instead of extending past the edge.
    <Popover
      trapFocus
      position="bottom-end"
      middlewares={{ flip: false, shift: { crossAxis: true, padding: 8 } }}
    >
      <Popover.Target>
        <Button variant={count > 0 ? 'filled' : 'default'} title={t('orders.filters')}>
          <span className={styles.filterButton}>
            <IconFilter size={20} aria-hidden />
            {count > 0 ? (
              t('orders.filtersSet', { count })
            ) : (
              <span className={styles.filterWords}>{t('orders.filters')}</span>
            )}
          </span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={styles.filterFields}>
          {day('from')}
          {day('to')}
          <FilterSelect
            label={t('fields.carrier')}
            value={filter.carrierOptionId}
            values={choices?.carrierOptionIds ?? []}
            toLabel={(id) => named.find(({ value }) => value === id)?.label ?? id}
            onChange={(carrierOptionId) => show({ carrierOptionId })}
          />
          <FilterSelect
            label={t('orders.country')}
            value={filter.country}
            values={choices?.countries ?? []}
            toLabel={(code) => {
              const name = countryName(code, i18n.language)
              return name === code ? code : `${name} (${code})`
            }}
            onChange={(country) => show({ country })}
          />
          <FilterSelect
            label={t('orders.origin')}
            value={filter.origin}
            values={choices?.origins ?? []}
            toLabel={(origin) => t(`orders.origins.${origin}`)}
            onChange={(origin) => show({ origin })}
          />
          <FilterSelect
            label={t('orders.source')}
            value={filter.source}
            values={choices?.sources ?? []}
            onChange={(source) => show({ source })}
          />
          <NativeSelect
            label={t('orders.sort')}
            value={`${filter.sort} ${filter.descending ? 'down' : 'up'}`}
            data={orderSortSchema.options.flatMap((sort) => [
              { value: `${sort} up`, label: t(`orders.sortBy.${sort}`) },
              { value: `${sort} down`, label: t(`orders.sortDownBy.${sort}`) },
            ])}
            onChange={(event) => {
              const [name, direction] = event.currentTarget.value.split(' ')
              const sort = orderSortSchema.safeParse(name)
              if (sort.success) show({ sort: sort.data, descending: direction === 'down' })
            }}
          />
          <Button
            className={styles.noFilters}
            variant="default"
            onClick={() => {
              setDays({ from: '', to: '' })
              show(noFilters)
            }}
          >
            {t('orders.noFilters')}
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}
