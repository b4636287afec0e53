import { Button, type ButtonProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useBridgeMutation } from '../bridge'
import { ErrorCallout } from './Callout'

/** Puts a copy of a station, from a folder that a person chooses, into the place of this one's data. Main asks before it does. */
export function RestoreStation({ size }: Pick<ButtonProps, 'size'>) {
  const { t } = useTranslation()
  const { mutate, error, isPending } = useBridgeMutation('restoreStation')
  return (
    <>
      <Button size={size} variant="default" loading={isPending} onClick={() => mutate(undefined)}>
        {t('restore.button')}
      </Button>
      {error ? <ErrorCallout error={error} /> : null}
    </>
  )
}
