import { useTranslation } from 'react-i18next'
import type { ReportFigures } from '../../../shared/history'
import { formatNumber } from '../../i18n/format'
import { BarChart } from '../../ui/BarChart'
import styles from './report.module.css'

/** Total width of the bars; few bars still fill the window. */
const width = 960

interface ReportChartProps {
  title: string
  groups: readonly (ReportFigures & { id: string; name: string })[]
}

/** Shipments per day or hour as a bar chart, with the same numbers as a table for screen readers. */
export function ReportChart({ title, groups }: ReportChartProps) {
  const { t, i18n } = useTranslation()
  const step = width / Math.max(1, groups.length)
  const bars = groups.map(({ id, name, shipments }, index) => {
    const total = formatNumber(shipments, i18n.language)
    return {
      ...{ id, name, total },
      // With many bars only every other name fits.
      isNamed: groups.length <= 12 || index % 2 === 0,
      parts: [{ id, value: shipments, className: styles.bar, title: `${name}: ${total}` }],
    }
  })
  return (
    <BarChart
      title={title}
      bars={bars}
      step={step}
      barWidth={Math.min(64, step * 0.65)}
      className={styles.chart}
      barsClassName={styles.bars}
    >
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{t('historyReport.name')}</th>
            <th scope="col">{t('historyReport.shipments')}</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ id, name, total }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              <td>{total}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </BarChart>
  )
}
