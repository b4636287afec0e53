import { useTranslation } from 'react-i18next'
import type { ReportFigures } from '../../../shared/history'
import { formatNumber } from '../../i18n/format'
import styles from './report.module.css'

const height = 150
/** Total width of the bars; few bars still fill the window. */
const width = 960

interface ReportChartProps {
  title: string
  groups: readonly (ReportFigures & { id: string; name: string })[]
}

/** Shipments per day or hour as a bar chart, with the same numbers as a table for screen readers. */
export function ReportChart({ title, groups }: ReportChartProps) {
  const { t, i18n } = useTranslation()
  const max = Math.max(1, ...groups.map(({ shipments }) => shipments))
  const step = width / Math.max(1, groups.length)
  const barWidth = Math.min(64, step * 0.65)
  // With many bars only every other name fits.
  const isNamed = (index: number) => groups.length <= 12 || index % 2 === 0
  return (
    <figure className={styles.chart}>
      <figcaption>{title}</figcaption>
      <svg
        viewBox={`0 0 ${width} ${height + 46}`}
        className={styles.bars}
        aria-hidden="true"
        focusable="false"
      >
        {groups.map(({ id, name, shipments }, index) => {
          const tall = (shipments / max) * height
          const x = index * step + (step - barWidth) / 2
          return (
            <g key={id}>
              <rect x={x} y={height + 22 - tall} width={barWidth} height={tall} className={styles.bar}>
                <title>{`${name}: ${formatNumber(shipments, i18n.language)}`}</title>
              </rect>
              {shipments > 0 ? (
                <text x={x + barWidth / 2} y={height + 16 - tall} className={styles.barTotal}>
                  {formatNumber(shipments, i18n.language)}
                </text>
              ) : null}
              {isNamed(index) ? (
                <text x={x + barWidth / 2} y={height + 40} className={styles.barName}>
                  {name}
                </text>
              ) : null}
            </g>
          )
        })}
        <line x1={0} x2={width} y1={height + 22} y2={height + 22} className={styles.axis} />
      </svg>
      <div className="pb-unseen">
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">{t('historyReport.name')}</th>
              <th scope="col">{t('historyReport.shipments')}</th>
            </tr>
          </thead>
          <tbody>
            {groups.map(({ id, name, shipments }) => (
              <tr key={id}>
                <th scope="row">{name}</th>
                <td>{formatNumber(shipments, i18n.language)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}
