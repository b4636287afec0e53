import { ActionIcon } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ManifestDetails } from '../../../shared/consignments'
import { ConfirmDialog } from '../../ui/ConfirmDialog'
import { useManifests } from './stores'

/** Removes an air waybill of which nothing was sent, e.g. one with a wrong number. */
export function RemoveWaybill({ page }: { page: ManifestDetails }) {
  const { t } = useTranslation()
  const [asking, setAsking] = useState(false)
  const remove = useManifests((state) => state.remove)
  const stay = () => setAsking(false)
  if (page.uploads.length > 0 || page.preAlerts.length > 0) return null
  return (
    <>
      <ActionIcon
        aria-label={t('manifests.remove')}
        title={t('manifests.remove')}
        onClick={() => setAsking(true)}
      >
        <IconTrash size={22} aria-hidden />
      </ActionIcon>
      <ConfirmDialog
        opened={asking}
        title={t('manifests.removeTitle', { number: page.airWaybillNumber })}
        confirm={t('manifests.remove')}
        onConfirm={() => {
          stay()
          void remove()
        }}
        onCancel={stay}
      >
        <p>{t('manifests.removeText')}</p>
      </ConfirmDialog>
    </>
  )
}
