import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../i18n/format'
import { useScale } from './scaleStore'

/** The scale's reading in words; null if no scale is chosen. */
export function useScaleText(): string | null {
  const { t, i18n } = useTranslation()
  const { connection, reading } = useScale((state) => state)
  if (connection === 'off') return null
  if (connection !== 'open') return t(`scale.${connection}`)
  if (reading === null) return t('scale.silent')
  return reading.kind === 'stable'
    ? t('scale.stable', { weight: formatNumber(reading.kg, i18n.language) })
    : t(`scale.${reading.kind}`)
}
