import { Button, Group } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppError } from '../../../shared/errors'
import { ErrorCallout } from '../../ui/Callout'

interface ConnectionTestProps {
  test: { isPending: boolean; error: AppError | null }
  onRun: () => void
  /** Result of the last test, if it completed. */
  children: ReactNode
}

/** Tests the typed values above it before they are saved. */
export function ConnectionTest({ test, onRun, children }: ConnectionTestProps) {
  const { t } = useTranslation()
  return (
    <>
      <Group gap={10}>
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={20} aria-hidden />}
          loading={test.isPending}
          onClick={onRun}
        >
          {t('common.testConnection')}
        </Button>
      </Group>
      <div role="status">
        <ErrorCallout error={test.error} />
        {children}
      </div>
    </>
  )
}
