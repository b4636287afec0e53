import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { type Scale, weighingUsagePage } from '../../../shared/scale'
import { subscribeToAnswer } from '../../bridge'
import { formatNumber } from '../../i18n/format'
import { createStoreHook } from '../../ui/storeHook'
import {
  applyReading,
  markShipped,
  nothingOnScale,
  readScaleReport,
  type ScaleReading,
  type ScaleWeight,
  type ShippedParcel,
} from './scaleWeight'

export interface ScaleState {
  /** `off`: no scale is chosen. `missing`: it is not plugged in. `refused`: it is plugged in but can't be opened. */
  connection: 'off' | 'missing' | 'refused' | 'open'
  reading: ScaleReading | null
  weight: ScaleWeight
  noteShipped: (parcel: ShippedParcel) => void
  /** Notes that a person takes what is on the scale for the next parcel. */
  noteNext: () => void
}

type ScaleStore = StoreApi<ScaleState>

export const useScale = createStoreHook(createScaleStore)

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

/** Makes main ask the operator to choose one of the connected scales; main stores the choice. */
export function chooseScale(): void {
  void navigator.hid?.requestDevice({ filters: [{ usagePage: weighingUsagePage }] })
}

/** Keeps the chosen scale open while it is plugged in. */
export function useScaleConnection(): void {
  const client = useQueryClient()
  useEffect(() => {
    const { hid } = navigator
    return hid === undefined ? undefined : followScale(useScale.getStore(client), client, hid)
  }, [client])
}

function createScaleStore(): ScaleStore {
  return createStore<ScaleState>((set, get) => ({
    connection: 'off',
    reading: null,
    weight: nothingOnScale,
    noteShipped: (parcel) => set({ weight: markShipped(get().weight, parcel) }),
    noteNext: () => set({ weight: { ...get().weight, shipped: null } }),
  }))
}

/**
 * Opens the chosen scale whenever it is plugged in, and closes a scale that is no longer chosen.
 * @returns stops it
 */
function followScale(store: ScaleStore, client: QueryClient, hid: HID): () => void {
  let chosen: Scale | null = null
  let open: HIDDevice | null = null

  const onReport = ({ reportId, data }: HIDInputReportEvent) => {
    const reading = readScaleReport(reportId, data)
    store.setState({ reading, weight: applyReading(store.getState().weight, reading) })
  }

  function disconnect(connection: ScaleState['connection']): void {
    open?.removeEventListener('inputreport', onReport)
    void open?.close()
    open = null
    // The shipped parcel may still be on the scale when it is plugged in again.
    store.setState({ connection, reading: null, weight: { ...store.getState().weight, onScale: null } })
  }

  /** Permission for a device lasts until the app closes unless the page revokes it. */
  async function forgetOthers(former: HIDDevice | null): Promise<void> {
    const others = (await hid.getDevices()).filter(
      (device) => device === former || chosen === null || !isScale(device, chosen),
    )
    await Promise.allSettled(others.map((device) => device.forget()))
  }

  async function connect(): Promise<void> {
    const wanted = chosen
    if (wanted === null || open !== null) return
    const found = (await hid.getDevices()).find((device) => isScale(device, wanted))
    if (found === undefined) {
      store.setState({ connection: 'missing' })
      return
    }
    try {
      if (!found.opened) await found.open()
    } catch {
      store.setState({ connection: 'refused' })
      return
    }
    if (wanted !== chosen || open !== null) return
    open = found
    found.addEventListener('inputreport', onReport)
    store.setState({ connection: 'open' })
  }

  const stop = subscribeToAnswer(client, 'getSettings', ({ scale }) => {
    if (isSame(scale, chosen)) return
    const former = open
    chosen = scale
    disconnect(scale === null ? 'off' : 'missing')
    store.setState({ weight: nothingOnScale })
    void forgetOthers(former).then(connect)
  })
  const onConnect = () => void connect()
  const onDisconnect = ({ device }: HIDConnectionEvent) => {
    if (device === open) disconnect('missing')
  }
  hid.addEventListener('connect', onConnect)
  hid.addEventListener('disconnect', onDisconnect)
  return () => {
    stop()
    hid.removeEventListener('connect', onConnect)
    hid.removeEventListener('disconnect', onDisconnect)
    chosen = null
    disconnect('off')
  }
}

function isSame(one: Scale | null, other: Scale | null): boolean {
  return (
    one?.vendorId === other?.vendorId &&
    one?.productId === other?.productId &&
    one?.serialNumber === other?.serialNumber
  )
}

function isScale({ vendorId, productId, collections }: HIDDevice, wanted: Scale): boolean {
  const isWeighingDevice = collections.some(({ usagePage }) => usagePage === weighingUsagePage)
  return isWeighingDevice && vendorId === wanted.vendorId && productId === wanted.productId
}
