import { Button } from '@mantine/core'
import { IconFolderOpen } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useBridgeMutation } from '../../bridge'
import { ErrorCallout } from '../../ui/Callout'
import { FormField } from '../../ui/FormField'
import styles from './settings.module.css'

interface FolderFieldProps {
  label: string
  value?: string
  onChange: (path: string) => void
  error?: ReactNode
  errorText?: string | undefined
  needed?: boolean
}

/** The path of a folder, typed or chosen in a dialog. */
export function FolderField(props: FolderFieldProps) {
  const { t } = useTranslation()
  const choose = useBridgeMutation('chooseFolder', {
    onSuccess(path) {
      if (path !== null) props.onChange(path)
    },
  })
  return (
    <>
      <div className={styles.pathRow}>
        <FormField {...props} hint={t('printersTab.pathHint')} />
        <Button
          variant="default"
          leftSection={<IconFolderOpen size={20} aria-hidden />}
          onClick={() => choose.mutate(undefined)}
        >
          {t('printersTab.chooseFolder')}
        </Button>
      </div>
      <ErrorCallout error={choose.error} />
    </>
  )
}
