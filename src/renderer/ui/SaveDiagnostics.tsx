import { Button, type ButtonProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useBridgeMutation } from '../bridge'
import { Callout, ErrorCallout } from './Callout'

/** Saves the diagnostics file for the administrator and shows its path. */
export function SaveDiagnostics({ size }: Pick<ButtonProps, 'size'>) {
  const { t } = useTranslation()
  const { mutate, data: path, error, isPending } = useBridgeMutation('saveDiagnostics')
  return (
    <>
      <Button size={size} variant="default" loading={isPending} onClick={() => mutate(undefined)}>
        {t('common.saveDiagnostics')}
      </Button>
      <ErrorCallout error={error} />
      {path ? <Callout tone="good">{t('common.diagnosticsSaved', { path })}</Callout> : null}
    </>
  )
}
