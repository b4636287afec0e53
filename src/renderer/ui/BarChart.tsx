import { Box } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './barChart.module.css'

interface Bar {
  id: string
  name: string
  /** Whether the name is shown: it may not fit below every bar. */
  isNamed: boolean
  /** In words; nothing is shown above a bar without parts. */
  total: string
  /** Stacked from the axis. */
  parts: readonly { id: string; value: number; className: string | undefined; title: string }[]
}

interface BarChartProps {
  title: string
  bars: readonly Bar[]
  /** From the start of a bar to that of the next, in the chart's units. */
  step: number
  barWidth: number
  className: string | undefined
  barsClassName: string | undefined
  /** The same numbers as a table, for screen readers. */
  children: ReactNode
}

const height = 150
const axis = height + 22

/** A bar chart of stacked parts. */
export function BarChart({ title, bars, step, barWidth, className, barsClassName, children }: BarChartProps) {
  const max = Math.max(1, ...bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0)))
  const width = bars.length * step
  return (
    <figure className={className}>
      <Box component="figcaption" fz={17} fw={650}>
        {title}
      </Box>
      <svg
        viewBox={`0 0 ${width} ${height + 46}`}
        className={barsClassName}
        aria-hidden="true"
        focusable="false"
      >
        {bars.map(({ id, name, isNamed, total, parts }, index) => {
          const x = index * step + (step - barWidth) / 2
          let y = axis
          return (
            <g key={id}>
              {parts.map((part) => {
                const tall = (part.value / max) * height
                y -= tall
                return (
                  <rect key={part.id} x={x} y={y} width={barWidth} height={tall} className={part.className}>
                    <title>{part.title}</title>
                  </rect>
                )
              })}
              {y < axis ? (
                <text x={x + barWidth / 2} y={y - 6} className={styles.total}>
                  {total}
                </text>
              ) : null}
              {isNamed ? (
                <text x={x + barWidth / 2} y={height + 40} className={styles.name}>
                  {name}
                </text>
              ) : null}
            </g>
          )
        })}
        <line x1={0} x2={width} y1={axis} y2={axis} className={styles.axis} />
      </svg>
      <div className="pb-unseen">{children}</div>
    </figure>
  )
}
