import { Button, Checkbox, Modal, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { maxCounted } from '../../../shared/history'
import { nameCarrierOptions } from '../../../shared/settings'
import type { ShipmentSummary } from '../../../shared/shipments'
import { useBridgeMutation, useBridgeQuery, useSettings } from '../../bridge'
import { formatMoment, formatNumber } from '../../i18n/format'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { CarrierOptionFilter } from '../../ui/CarrierOptionFilter'
import { TextField } from '../../ui/TextField'
import styles from './manifests.module.css'
import { pageCallOptions, useCallState, useReload, useSetOpenState } from './queries'

const shipmentsShown = 200

interface ShipmentsDialogProps {
  manifestId: string
  opened: boolean
  onClose: () => void
}

/** Chooses shipments of this station whose parcels go on the manifest. */
export function ShipmentsDialog({ manifestId, opened, onClose }: ShipmentsDialogProps) {
  const { t } = useTranslation()
  return (
    <Modal opened={opened} onClose={onClose} size={760} title={t('manifests.shipmentsTitle')}>
      <Choices manifestId={manifestId} onClose={onClose} />
    </Modal>
  )
}

function Choices({ manifestId, onClose }: Omit<ShipmentsDialogProps, 'opened'>) {
  const { t, i18n } = useTranslation()
  const [text, setText] = useState('')
  const [carrierOptionId, setCarrierOptionId] = useState<number | null>(null)
  const [packageId, setPackageId] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const { shipments, total, isOutdated } = useCreatedShipments(text, carrierOptionId)
  const added = useAddedShipments(shipments)
  const names = nameCarrierOptions(useSettings((settings) => settings.carriers) ?? [])
  const { busy } = useCallState(manifestId)
  const setOpen = useSetOpenState(manifestId)
  const reload = useReload(manifestId)
  const { mutate: add, error } = useBridgeMutation('addShipmentsToManifest', {
    ...pageCallOptions(manifestId),
    onSuccess: (outcome) => {
      setOpen({ added: outcome })
      return reload()
    },
  })
  // A parcel belongs on one air waybill: a person ticks the others one by one.
  const free = shipments.filter(({ id }) => added !== undefined && !added.has(id))
  const hidden = chosen.size - shipments.filter(({ id }) => chosen.has(id)).length
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  const addChosen = () =>
    add({ manifestId, shipmentIds: [...chosen], packageId: packageId.trim() }, { onSuccess: onClose })
  return (
    <>
      <Stack gap={12}>
        <TextField label={t('manifests.shipmentsSearch')} value={text} onChange={setText} data-autofocus />
        <CarrierOptionFilter
          names={names}
          stations="this"
          value={carrierOptionId}
          onChange={setCarrierOptionId}
        />
        <TextField label={t('manifests.shipmentsPackage')} value={packageId} onChange={setPackageId} />
        {total > shipmentsShown ? (
          <p>
            {t('manifests.shipmentsCapped', {
              total: `${formatNumber(Math.min(total, maxCounted), i18n.language)}${total > maxCounted ? '+' : ''}`,
            })}
          </p>
        ) : null}
        {shipments.length === 0 ? (
          <p>{t('manifests.shipmentsNone')}</p>
        ) : (
          <Stack gap={10} p={4}>
            <Checkbox
              label={t('manifests.selectAll')}
              disabled={free.length === 0 || isOutdated}
              checked={free.length > 0 && free.every((each) => chosen.has(each.id))}
              onChange={(event) => setChosen(withShown(chosen, free, event.currentTarget.checked))}
            />
            {shipments.map((shipment) => (
              <ShipmentChoice
                key={shipment.id}
                shipment={shipment}
                carrierOption={names.get(shipment.carrierOptionId) ?? String(shipment.carrierOptionId)}
                airWaybills={added?.get(shipment.id) ?? []}
                checked={chosen.has(shipment.id)}
                onToggle={() => toggle(shipment.id)}
              />
            ))}
          </Stack>
        )}
        {hidden === 0 ? null : (
          <Callout tone="attention">{t('manifests.shipmentsHidden', { count: hidden })}</Callout>
        )}
      </Stack>
      <ErrorCallout error={error} />
      <div className={styles.dialogActions}>
        <Button loading={busy} disabled={chosen.size === 0} onClick={addChosen}>
          {t('manifests.shipmentsAdd', { count: chosen.size })}
        </Button>
        <Button variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
      </div>
    </>
  )
}

/**
 * The selection after all visible rows were ticked or unticked. Rows that only another search showed are unaffected.
 */
function withShown(
  chosen: ReadonlySet<string>,
  shown: readonly ShipmentSummary[],
  checked: boolean,
): ReadonlySet<string> {
  const ids = new Set(shown.map(({ id }) => id))
  const others = [...chosen].filter((id) => !ids.has(id))
  return new Set(checked ? [...others, ...ids] : others)
}

interface ShipmentChoiceProps {
  shipment: ShipmentSummary
  carrierOption: string
  /** Those to which it was added. */
  airWaybills: readonly string[]
  checked: boolean
  onToggle: () => void
}

function ShipmentChoice({ shipment, carrierOption, airWaybills, checked, onToggle }: ShipmentChoiceProps) {
  const { t, i18n } = useTranslation()
  const { reference, consignee, city, country, barcodes, takenAt } = shipment
  const facts = [
    ...airWaybills.map((number) => t('manifests.addedTo', { number })),
    ...[consignee, `${city} ${country}`, carrierOption, barcodes.join(', ')],
    formatMoment(takenAt, i18n.language),
  ]
  return <Checkbox label={reference} description={facts.join(' · ')} checked={checked} onChange={onToggle} />
}

/** The numbers of the air waybills to which shipments were added, by the shipment's id; undefined until they are known. */
function useAddedShipments(shipments: readonly ShipmentSummary[]): Map<string, string[]> | undefined {
  const shipmentIds = shipments.map(({ id }) => id)
  // Asked again whenever the dialog opens.
  const { data } = useBridgeQuery('listAddedShipments', { shipmentIds }, { staleTime: 0, gcTime: 0 })
  if (data === undefined) return undefined
  const added = new Map<string, string[]>()
  for (const { shipmentId, airWaybillNumber } of data)
    added.set(shipmentId, [...(added.get(shipmentId) ?? []), airWaybillNumber])
  return added
}

/**
 * The newest created shipments that match a text and a carrier option and are not cancelled, the number of all that match, and
 * whether they are still those of an earlier search.
 */
function useCreatedShipments(
  text: string,
  carrierOptionId: number | null,
): { shipments: ShipmentSummary[]; total: number; isOutdated: boolean } {
  const [wanted] = useDebouncedValue(text, 150)
  const search = { text: wanted, carrierOptionId, state: 'created' as const, limit: shipmentsShown }
  const { data, isPlaceholderData } = useBridgeQuery('searchShipments', search, {
    placeholderData: keepPreviousData,
  })
  const shipments = data?.shipments.filter(({ cancellation }) => cancellation === undefined) ?? []
  return { shipments, total: data?.total ?? 0, isOutdated: isPlaceholderData }
}
