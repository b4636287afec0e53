import { Button, Group } from '@mantine/core'
import { IconScale } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { readNumber } from '../../../shared/fields'
import { formatNumber } from '../../i18n/format'
import { useScale, useScaleText } from '../scale/scaleStore'
import { getUnshippedWeight } from '../scale/scaleWeight'
import { useShip } from './stores'

/**
 * The scale's reading beside the weight field, and a button to use it if it differs from the field, also when it may be
 * the weight of the shipped parcel.
 */
export function ScaleStatus() {
  const { t, i18n } = useTranslation()
  const text = useScaleText()
  const onScale = useScale(({ weight }) => weight.onScale)
  const isShipped = useScale(({ weight }) => weight.onScale !== null && getUnshippedWeight(weight) === null)
  const noteNext = useScale((state) => state.noteNext)
  const typed = useShip((state) => readNumber(state.form.weight))
  const forceScaleWeight = useShip((state) => state.forceScaleWeight)
  if (text === null) return null
  const weight = onScale === null ? '' : formatNumber(onScale, i18n.language)
  const take = () => {
    noteNext()
    forceScaleWeight()
  }
  return (
    <Group gap="4px 10px" mih={40} fz={18} data-testid="scale">
      <IconScale size={22} aria-hidden />
      <span role="status">{isShipped ? t('scale.shipped', { weight }) : text}</span>
      {onScale !== null && onScale !== typed ? (
        <Button variant="default" onClick={take}>
          {t('scale.use', { weight })}
        </Button>
      ) : null}
    </Group>
  )
}
