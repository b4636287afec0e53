import { Button, type ButtonProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useBridgeMutation } from '../bridge'
import { ErrorCallout } from './Callout'

/**
 * Replaces this station's data with a backup from a folder that the person chooses. Main asks for confirmation first.
 */
export function RestoreStation({ size }: Pick<ButtonProps, 'size'>) {
  const { t } = useTranslation()
  const { mutate, error, isPending } = useBridgeMutation('restoreStation')
  return (
    <>
      <Button size={size} variant="default" loading={isPending} onClick={() => mutate(undefined)}>
        {t('restore.button')}
      </Button>
      <ErrorCallout error={error} />
    </>
  )
}
