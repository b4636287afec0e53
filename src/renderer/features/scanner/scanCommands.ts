import type { QueryClient } from '@tanstack/react-query'
import type { AppStatus } from '../../../shared/app'
import { readNumber } from '../../../shared/fields'
import { ok } from '../../../shared/result'
import type { ScanCommand } from '../../../shared/scanner'
import type { Settings } from '../../../shared/settings'
import { callMain, queryKey } from '../../bridge'
import { carrierKey, readCarrierKey } from '../../ui/carrierOptions'
import { isDialogOpen } from '../../ui/dialogs'
import { isLabelActionRunning, runLabelAction } from '../../ui/labelActions'
import { useNavigation } from '../../ui/navigation'
import { useSound } from '../../ui/sounds'
import { useScan, useShip } from '../ship/stores'
import { replayKey } from './scanPlace'

const maxPackages = 99

type Refusal = 'no-command' | 'not-now' | 'nothing-to-print' | 'no-printer'

/** Runs a command barcode, if that is possible now; a notice reports the result. */
export async function runScanCommand(client: QueryClient, command: ScanCommand | null): Promise<void> {
  const { showNotice } = useScan.getStore(client).getState()
  const settings = client.getQueryData<Settings>(queryKey('getSettings', undefined))
  const ship = useShip.getStore(client).getState()
  const refuse = (kind: Refusal) => {
    useSound.getStore(client).getState().play('attention')
    showNotice({ kind, code: '' })
  }
  if (command === null) return refuse('no-command')
  if (command === 'pause') return pausePrinter()
  if (command === 'confirm') return confirm()
  if (isDialogOpen()) return refuse('not-now')
  if (command === 'reprint-last') {
    await reprintLast(client, refuse)
    return
  }
  if (ship.sending) return refuse('not-now')
  const { screen, go } = useNavigation.getStore(client).getState()
  go('ship')
  // Like the key, so that a select takes over its text first. The key means something else on another screen.
  if (command === 'ship' && screen === 'ship') replayKey('F9')
  else if (command === 'ship') await ship.submit()
  else if (command === 'next-option') chooseNextOption()
  else addPackage()

  function chooseNextOption(): void {
    const carriers = settings?.carriers ?? []
    const now = carriers.findIndex((each) => carrierKey(each) === ship.form.carrier)
    const next = carriers[(now + 1) % carriers.length]
    if (next === undefined) {
      refuse('not-now')
      return
    }
    ship.edit({ carrier: carrierKey(next) })
    showNotice({ kind: 'option', code: next.name })
  }

  function addPackage(): void {
    const before = readNumber(ship.form.numberOfPackages)
    const packages = String(Math.min(maxPackages, (before > 0 ? Math.floor(before) : 0) + 1))
    ship.edit({ numberOfPackages: packages })
    showNotice({ kind: 'packages', code: packages })
  }

  /** Pauses or resumes the printer of the form's carrier option. Labels already sent still come out. */
  async function pausePrinter(): Promise<void> {
    const option = readCarrierKey(ship.form.carrier)?.carrierOptionId
    const rule = settings?.routing.find(
      ({ carrierOptionId, pages }) =>
        pages === undefined && (carrierOptionId === undefined || carrierOptionId === option),
    )
    const printers = client.getQueryData<AppStatus>(queryKey('getAppStatus', undefined))?.printers ?? []
    const printer = printers.find(({ id }) => id === (rule?.printer ?? printers[0]?.id))
    if (printer === undefined) return refuse('no-printer')
    const paused = printer.state !== 'paused'
    const result = await callMain('pausePrinter', { printerId: printer.id, paused })
    if (!result.ok) return refuse('not-now')
    showNotice({ kind: paused ? 'paused' : 'resumed', code: printer.name })
  }

  /** Presses the safe answer of an open question. A dialog without `data-safe` has no answer for a scan. */
  function confirm(): void {
    const answer = document.querySelector<HTMLElement>('[role="dialog"] button[data-safe]')
    if (answer === null) refuse('not-now')
    else answer.click()
  }
}

/** The shipment that Ship shows, if its label can be printed, since its button names the same key; otherwise the last one. */
async function findLabelToReprint(client: QueryClient) {
  const { outcome, sending } = useShip.getStore(client).getState()
  const { screen } = useNavigation.getStore(client).getState()
  if (screen === 'ship' && !sending && outcome?.kind === 'shipment') {
    const { id, reference, labels, cancellation } = outcome.shipment
    // Its label is void, and that of another parcel is not expected here.
    if (cancellation !== undefined) return ok(null)
    if (labels.some(({ problem }) => problem === null)) return ok({ shipmentId: id, reference })
  }
  return callMain('findLabelToReprint', undefined)
}

/** Reprints a label and says whose it is, or says why it can't. */
async function reprintLast(client: QueryClient, refuse: (kind: Refusal) => void): Promise<void> {
  const found = await findLabelToReprint(client)
  if (!found.ok) return refuse('not-now')
  if (found.value === null) return refuse('nothing-to-print')
  const { shipmentId, reference } = found.value
  if (isLabelActionRunning(client, shipmentId)) return
  await useShip.getStore(client).getState().showAgain(shipmentId)
  if (await runLabelAction(client, shipmentId, 'reprint', { shipmentId })) {
    useScan.getStore(client).getState().showNotice({ kind: 'reprinted', code: reference })
    return
  }
  const { outcome } = useShip.getStore(client).getState()
  if (outcome?.kind !== 'shipment' || outcome.shipment.id !== shipmentId) return refuse('not-now')
  // The outcome on Ship shows the error.
  useSound.getStore(client).getState().play('attention')
  useNavigation.getStore(client).getState().go('ship')
}
