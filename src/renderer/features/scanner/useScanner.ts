import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { readScan } from '../../../shared/scanner'
import type { Settings } from '../../../shared/settings'
import { callMain, queryKey } from '../../bridge'
import { isDialogOpen } from '../../ui/dialogs'
import { useNavigation } from '../../ui/navigation'
import { useSound } from '../../ui/sounds'
import { lacksChanges } from '../ship/ordersInForm'
import { isFormOutdated } from '../ship/outcome'
import { findAwaitedLabel, findScannable } from '../ship/scanStore'
import type { ShipState } from '../ship/shipStore'
import { useCustoms, useScan, useShip } from '../ship/stores'
import { runScanCommand } from './scanCommands'
import { type FocusSnapshot, nowhere, replayKey, replayScanEnd, snapshotFocus } from './scanPlace'
import { createScanReader, getScanPause, isModifier, minScanKeys } from './scanReader'
import { routeScan, type ScanContext } from './scanRouting'

/** Routes scanned codes on every screen, wherever the cursor is. */
export function useScanner(): void {
  const client = useQueryClient()
  useEffect(() => listenToScanner(client), [client])
}

/** The window when a scan began. */
interface ScanStart {
  focus: FocusSnapshot
  ship: ShipState
}

interface HeldKey {
  key: string
  at: number
}

function listenToScanner(client: QueryClient): () => void {
  const reader = createScanReader()
  const settings = () => client.getQueryData<Settings>(queryKey('getSettings', undefined))
  const ship = () => useShip.getStore(client).getState()
  const scan = () => useScan.getStore(client).getState()
  const navigation = () => useNavigation.getStore(client).getState()
  const isOnShip = () => navigation().screen === 'ship'
  let start: ScanStart = { focus: nowhere, ship: ship() }
  /** Keys that arrived while the previous scan was being looked up. */
  let held: HeldKey[] | null = null
  /** Original timestamp of a key that is being replayed. */
  let pressedAt: number | null = null
  /** At the last key that was not replayed. */
  let isCapsLockOn = false

  const isStopped = () => scan().outcome?.matches === false

  /** Keys during a creation belong to the next parcel; a code that began then is collected to its end. */
  const isCollecting = () => isOnShip() && !isDialogOpen() && (ship().sending || ship().partialCode !== '')

  /** Removes a code from where it was typed, with what the typing has changed in the Ship form. */
  function removeCode({ focus, ship: before }: ScanStart): void {
    const { kept } = ship()
    focus.restore()
    // An empty form has started the next parcel with a kept code.
    const isNextParcel = ship().kept !== kept
    if (focus.isInForm && !isNextParcel) ship().undoTyping(before)
  }

  async function lookUp(code: string, before: ShipState) {
    const { order, combined, outcome } = before
    const { session } = ship()
    const scanBack = settings()?.scanBack
    const awaited = findAwaitedLabel(ship(), scan(), scanBack)
    // Also after the last label was scanned: a scanner may read it twice.
    const checked = awaited ?? findScannable(ship(), scanBack)?.id ?? null
    const customs = useCustoms.getStore(client).getState()
    const [found, product, label] = await Promise.all([
      callMain('findOrderToShip', { reference: code }),
      customs.on && isOnShip() ? callMain('findProduct', { code }) : null,
      checked === null ? null : callMain('confirmScan', { shipmentId: checked, code }),
    ])
    const isInForm = order?.values.reference === code || combined?.references.includes(code) === true
    const isOther = session.some(({ id, barcodes }) => id !== awaited && barcodes.includes(code))
    return {
      isLabelAwaited: awaited !== null,
      checked,
      label,
      isNoOrder: found.ok && found.value === null,
      known: {
        isOrder: found.ok && found.value !== null,
        isProduct: product?.ok === true && product.value !== null,
        label: label?.ok && label.value.matches ? ('right' as const) : isOther ? ('other' as const) : null,
      },
      isFilledIn: isInForm && !isFormOutdated(outcome) && !lacksChanges(before),
    }
  }

  /** Says that a code was not found, and that Caps Lock may be why. */
  function noteNotFound(code: string, kind: 'unknown' | 'no-order'): void {
    const isCaseSwapped = isCapsLockOn && code.toLowerCase() !== code.toUpperCase()
    if (isCaseSwapped || kind === 'unknown') useSound.getStore(client).getState().play('attention')
    scan().showNotice({ kind: isCaseSwapped ? 'caps-lock' : kind, code })
  }

  function noteOtherLabel(code: string): void {
    useSound.getStore(client).getState().play('attention')
    scan().showNotice({ kind: 'label', code })
  }

  /** Routes a code. Returns true if it stays where it was typed and its end key must be replayed there. */
  async function routeCode(code: string, start: ScanStart): Promise<boolean> {
    const { place, element, readText } = start.focus
    const context: Omit<ScanContext, 'isLabelAwaited' | 'isLabelRequired'> = {
      place,
      isOnShip: isOnShip(),
      isStopped: isStopped(),
      isSending: ship().sending,
      isReferenceEmpty: ship().form.reference.trim() === '',
    }
    const typed = readText()
    scan().showNotice(null)
    const { isLabelAwaited, checked, label, known, isNoOrder, isFilledIn } = await lookUp(code, start.ship)
    // The form may have been cleared or shipped in the meantime.
    const remove = () => {
      if (readText() === typed) removeCode(start)
    }
    // The data of another order or of a corrected shipment must not stay with the code as reference.
    const isFilledByOther = (start.ship.order ?? start.ship.source) !== null
    const destination = routeScan(
      {
        ...context,
        isLabelAwaited,
        isLabelRequired: settings()?.scanBack.required === true,
      },
      known,
    )
    if (destination === 'field') {
      const field = element instanceof HTMLElement ? element.dataset.field : undefined
      if (field === 'reference' && isNoOrder) noteNotFound(code, 'no-order')
      if (field === 'reference' && isFilledByOther) {
        remove()
        ship().startOrder(code)
        return false
      }
      // A scanner's Enter moves to the next field and never ships.
      return field === undefined || !ship().focusNextField(field)
    }
    remove()
    switch (destination) {
      case 'label':
        if (checked !== null && label !== null) scan().show(checked, label)
        break
      case 'keep':
        ship().keep(code, true)
        if (isNoOrder) noteNotFound(code, 'no-order')
        break
      case 'order':
        // Scanned twice: keeps what was typed into the form.
        if (isFilledIn) break
        // It was for the previous parcel.
        start.focus.endSearch()
        navigation().go('ship')
        ship().startOrder(code, true)
        break
      case 'product':
        await useCustoms.getStore(client).getState().scan(code)
        break
      case 'reference':
        if (isFilledByOther) ship().startOrder(code)
        else ship().fillReference(code)
        if (isNoOrder) noteNotFound(code, 'no-order')
        break
      case 'unknown':
        if (known.label === null) noteNotFound(code, 'unknown')
        else noteOtherLabel(code)
    }
    return false
  }

  /** Handles badges and commands, which need no look-up; returns false for any other code. */
  function handleWithoutLookUp(code: string, { scanner }: Settings, start: ScanStart): boolean {
    const read = readScan(code, scanner)
    if (read.kind === 'code') return false
    removeCode(start)
    scan().showNotice(null)
    if (read.kind === 'badge') navigation().scanBadge(read.id)
    else void runScanCommand(client, read.command)
    return true
  }

  /** Holds back further keys until the code's destination is known. */
  async function routeAndReplay(code: string, end: HeldKey, start: ScanStart): Promise<void> {
    const waiting: HeldKey[] = []
    held = waiting
    let isTyped = false
    try {
      ship().noteScanLookUp(true)
      isTyped = await routeCode(code, start).finally(() => ship().noteScanLookUp(false))
      // The screen moves the cursor with its next render.
      await new Promise((resolve) => setTimeout(resolve))
    } finally {
      held = null
    }
    // It has read these keys already.
    reader.forget()
    if (isTyped) {
      pressedAt = end.at
      replayScanEnd(end.key)
    }
    for (const { key, at } of waiting) {
      pressedAt = at
      replayKey(key)
    }
    pressedAt = null
  }

  const hold = (event: Event) => {
    event.preventDefault()
    event.stopImmediatePropagation()
  }

  const onKey = (event: KeyboardEvent) => {
    const { key } = event
    const at = pressedAt ?? event.timeStamp
    const isCharacter = key.length === 1
    const isShortcut = event.metaKey || (event.ctrlKey && !event.getModifierState('AltGraph'))
    const current = settings()
    if (isShortcut || event.isComposing || current === undefined) return
    const here = snapshotFocus(document.activeElement)
    // A held-down key repeats as fast as a scanner.
    if (here === null || event.repeat) {
      reader.forget()
      return
    }
    if (pressedAt === null) isCapsLockOn = event.getModifierState('CapsLock')
    const ends = key === 'Enter' || key === 'Tab'
    const meaning = reader.take(key, at, current.scanner)
    if (meaning.kind === 'begins') start = { focus: here, ship: ship() }
    if (meaning.kind === 'goes-on' && !isCharacter) {
      hold(event)
      return
    }
    if (held !== null) {
      if (!isCharacter && !ends) return
      hold(event)
      held.push({ key, at })
      return
    }
    if (meaning.kind === 'scan') {
      // What was typed before a scan is not a part of it.
      ship().collect(start.ship.partialCode)
    } else if (isCollecting()) {
      collectKey(event)
      return
    }
    const isText = start.focus.place !== 'nowhere'
    if (meaning.kind === 'goes-on' && meaning.length >= minScanKeys && !isText) hold(event)
    if (meaning.kind !== 'scan') return
    const isTaken = handleWithoutLookUp(meaning.code, current, start)
    if (!isTaken && start.focus.place === 'own') return
    hold(event)
    if (isTaken) return
    // Scanning an order's number adds the order to the parcel.
    if (ship().choose(meaning.code, true)) return
    // A scan answers no other question. Its first character may have changed a select.
    if (isDialogOpen() && !isStopped()) {
      removeCode(start)
      useSound.getStore(client).getState().play('attention')
    } else void routeAndReplay(meaning.code, { key, at }, start)
  }

  function collectKey(event: KeyboardEvent): void {
    const { key } = event
    const { partialCode, collect, keepPartialCode } = ship()
    // A collected key is in no field.
    start = { ...start, focus: nowhere }
    if (key.length === 1) collect(partialCode + key)
    else if (key === 'Backspace') collect(partialCode.slice(0, -1))
    else {
      if (!isModifier(key)) keepPartialCode()
      if (key !== 'Enter' && key !== 'Tab') return
    }
    hold(event)
  }

  /** Collected keys that no scan continues after the creation were typed. */
  let pause: ReturnType<typeof setTimeout> | undefined
  function watchTyping(state: ShipState, before: ShipState): void {
    const current = settings()
    if (current === undefined) return
    if (state.sending === before.sending && state.partialCode === before.partialCode) return
    clearTimeout(pause)
    const { sending, partialCode, continueTyping } = ship()
    if (!sending && partialCode !== '') pause = setTimeout(continueTyping, getScanPause(current.scanner))
  }

  /** A label that was confirmed or skipped releases the kept scans. */
  const stops = [useShip, useScan].map((hook) => hook.getStore(client).subscribe(() => ship().startKept()))
  stops.push(useShip.getStore(client).subscribe(watchTyping))

  const onPointer = () => {
    if (isCollecting()) ship().keepPartialCode()
  }

  window.addEventListener('keydown', onKey, true)
  window.addEventListener('pointerdown', onPointer, true)
  return () => {
    for (const stop of stops) stop()
    clearTimeout(pause)
    window.removeEventListener('keydown', onKey, true)
    window.removeEventListener('pointerdown', onPointer, true)
  }
}
