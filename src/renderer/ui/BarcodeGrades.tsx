import { useTranslation } from 'react-i18next'
import {
  type BarcodeProof,
  type GradedSymbol,
  type SymbolMeasure,
  symbologyNames,
  worstGrade,
} from '../../shared/labels'
import { formatNumber } from '../i18n/format'
import { Badge } from './Badge'
import { gradeLooks, warningLook } from './tone'
import styles from './ui.module.css'

/** Longest shown content of a barcode, in characters: a 2D code may hold a whole address. */
const maxShownCharacters = 40

/** The worst grade of a label's barcodes. Unfolded, it lists each barcode and the measures that lowered its grade. */
export function BarcodeGrades({ proof }: { proof: BarcodeProof }) {
  const { t } = useTranslation()
  if (proof.kind === 'not-proved') {
    return (
      <p className={styles.barcodes}>
        <Badge look={warningLook} text={t('barcodes.notProved')} /> {t(`barcodes.why.${proof.reason}`)}
      </p>
    )
  }
  const grade = worstGrade(proof.symbols.map((symbol) => symbol.grade))
  if (grade === undefined) return null
  return (
    <details className={styles.barcodes} data-testid="barcodes" data-grade={grade}>
      <summary>
        <Badge look={gradeLooks[grade]} text={t('barcodes.badge', { grade })} />
      </summary>
      <ul>
        {proof.symbols.map((symbol, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and two symbols may be equal.
          <SymbolLine key={index} symbol={symbol} />
        ))}
      </ul>
      <p className="pb-soft">{t('barcodes.explain')}</p>
    </details>
  )
}

function SymbolLine({ symbol }: { symbol: GradedSymbol }) {
  const { t, i18n } = useTranslation()
  const number = (value: number) => formatNumber(value, i18n.language)
  const { symbology, text, page, grade, measures, moduleMm, deviationDots } = symbol
  const reason = ({ measure, value }: SymbolMeasure) =>
    t(`barcodes.measures.${measure}`, { value: number(value), percent: number(Math.round(value * 100)) })
  const dots = measures.find(({ measure }) => measure === 'module')?.value
  const size =
    moduleMm === undefined || dots === undefined
      ? []
      : [t('barcodes.module', { mm: number(moduleMm), dots: number(dots) })]
  const reasons = measures
    .filter((each) => each.grade !== 'A')
    .map((each) => t('barcodes.becauseOf', { reason: reason(each), grade: each.grade }))
  const deviation =
    deviationDots === undefined || deviationDots < 0.05
      ? []
      : [t('barcodes.deviation', { dots: number(Math.round(deviationDots * 10) / 10) })]
  return (
    <li>
      <p>
        {t('barcodes.symbol', { symbology: symbologyNames[symbology], page })}:{' '}
        <strong>{t('barcodes.grade', { grade })}</strong>{' '}
        <span className="pb-mono">
          {text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text}
        </span>
      </p>
      <p className="pb-soft">{[...reasons, ...size, ...deviation].join(' ')}</p>
    </li>
  )
}
