import { Box } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Board, ParcelState } from '../../../shared/tracking'
import { toLocale } from '../../i18n/format'
import styles from './board.module.css'
import { stateClass, stateOrder } from './parcelStates'

type Day = Board['days'][number]

const height = 150
const barWidth = 26
const step = 40

/** Parcels by shipping date as a bar chart, stacked by state, with the same numbers as a table for screen readers. */
export function DayChart({ board }: { board: Board }) {
  const { t, i18n } = useTranslation()
  const maxParcels = Math.max(1, ...board.days.map(toTotal))
  const name = (day: string) =>
    new Intl.DateTimeFormat(toLocale(i18n.language), {
      day: 'numeric',
      month: 'numeric',
      timeZone: 'UTC',
    }).format(new Date(`${day}T00:00:00Z`))
  return (
    <figure className={`pb-surface ${styles.chart}`}>
      <Box component="figcaption" fz={17} fw={650}>
        {t('board.chart')}
      </Box>
      <svg
        viewBox={`0 0 ${board.days.length * step} ${height + 46}`}
        className={styles.bars}
        aria-hidden="true"
        focusable="false"
      >
        {board.days.map((day, index) => (
          <Bar
            key={day.day}
            day={day}
            x={index * step + (step - barWidth) / 2}
            maxParcels={maxParcels}
            label={name(day.day)}
            labelled={(board.days.length - 1 - index) % 2 === 0}
          />
        ))}
        <line
          x1={0}
          x2={board.days.length * step}
          y1={height + 22}
          y2={height + 22}
          className={styles.axis}
        />
      </svg>
      <DayTable board={board} name={name} />
    </figure>
  )
}

interface BarProps {
  day: Day
  x: number
  maxParcels: number
  label: string
  /** Whether the date is shown; only every other one fits. */
  labelled: boolean
}

function Bar({ day, x, maxParcels, label, labelled }: BarProps) {
  const { t } = useTranslation()
  const total = toTotal(day)
  let y = height + 22
  return (
    <g>
      {stateOrder.map((state) => {
        const count = getCount(day, state)
        if (count === 0) return null
        const tall = (count / maxParcels) * height
        y -= tall
        return (
          <rect
            key={state}
            x={x}
            y={y}
            width={barWidth}
            height={tall}
            className={`${styles.bar} ${stateClass[state]}`}
          >
            <title>{`${label} · ${t(`board.state.${state}`)}: ${count}`}</title>
          </rect>
        )
      })}
      {total > 0 ? (
        <text x={x + barWidth / 2} y={y - 6} className={styles.barTotal}>
          {total}
        </text>
      ) : null}
      {labelled ? (
        <text x={x + barWidth / 2} y={height + 40} className={styles.barDay}>
          {label}
        </text>
      ) : null}
    </g>
  )
}

function DayTable({ board, name }: { board: Board; name: (day: string) => string }) {
  const { t } = useTranslation()
  return (
    <div className="pb-unseen">
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
          {board.days.map((day) => (
            <tr key={day.day}>
              <th scope="row">{name(day.day)}</th>
              {stateOrder.map((state) => (
                <td key={state}>{getCount(day, state)}</td>
              ))}
              <td>{toTotal(day)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function getCount(day: Day, state: ParcelState): number {
  return day.states.find((each) => each.state === state)?.count ?? 0
}

function toTotal(day: Day): number {
  return day.states.reduce((total, { count }) => total + count, 0)
}
