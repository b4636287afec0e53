import { Button, Group } from '@mantine/core'
import { IconScale } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../i18n/format'
import { readNumber } from '../../ui/fieldValues'
import { useScale } from './scaleStore'
import { getUnshippedWeight } from './scaleWeight'
import { useShip } from './stores'

/** The scale's reading beside the weight field, and a button to use it if it differs from the field. */
export function ScaleStatus() {
  const { t, i18n } = useTranslation()
  const text = useScaleText()
  const fresh = useScale(({ weight }) => getUnshippedWeight(weight))
  const typed = useShip((state) => readNumber(state.form.weight))
  const forceScaleWeight = useShip((state) => state.forceScaleWeight)
  if (text === null) return null
  return (
    <Group gap="4px 10px" mih={40} fz={18} data-testid="scale">
      <IconScale size={22} aria-hidden />
      <span role="status">{text}</span>
      {fresh !== null && fresh !== typed ? (
        <Button variant="default" onClick={forceScaleWeight}>
          {t('scale.use', { weight: formatNumber(fresh, i18n.language) })}
        </Button>
      ) : null}
    </Group>
  )
}

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
