import { useTranslation } from 'react-i18next'
import type { Board, ParcelState } from '../../../shared/tracking'
import { toLocale } from '../../i18n/format'
import { BarChart } from '../../ui/BarChart'
import styles from './board.module.css'
import { stateClass, stateOrder } from './parcelStates'

type Day = Board['days'][number]

/** Parcels by shipping date as a bar chart, stacked by state, with the same numbers as a table for screen readers. */
export function DayChart({ board }: { board: Board }) {
  const { t, i18n } = useTranslation()
  const format = new Intl.DateTimeFormat(toLocale(i18n.language), {
    day: 'numeric',
    month: 'numeric',
    timeZone: 'UTC',
  })
  const bars = board.days.map((day, index) => {
    const name = format.format(new Date(`${day.day}T00:00:00Z`))
    const states = stateOrder.filter((state) => getCount(day, state) > 0)
    return {
      ...{ id: day.day, name, day },
      // Only every other date fits.
      isNamed: (board.days.length - 1 - index) % 2 === 0,
      total: String(day.states.reduce((total, { count }) => total + count, 0)),
      parts: states.map((state) => ({
        id: state,
        value: getCount(day, state),
        className: `${styles.bar} ${stateClass[state]}`,
        title: `${name} · ${t(`board.state.${state}`)}: ${getCount(day, state)}`,
      })),
    }
  })
  return (
    <BarChart
      title={t('board.chart')}
      bars={bars}
      step={40}
      barWidth={26}
      className={`pb-surface ${styles.chart}`}
      barsClassName={styles.bars}
    >
      <table>
        <caption>{t('board.chartText')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('historyReport.day')}</th>
            {stateOrder.map((state) => (
              <th key={state} scope="col">
                {t(`board.state.${state}`)}
              </th>
            ))}
            <th scope="col">{t('historyReport.total')}</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ id, name, day, total }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              {stateOrder.map((state) => (
                <td key={state}>{getCount(day, state)}</td>
              ))}
              <td>{total}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </BarChart>
  )
}

function getCount(day: Day, state: ParcelState): number {
  return day.states.find((each) => each.state === state)?.count ?? 0
}
