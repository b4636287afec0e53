import { Box, Button } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconArrowBackUp, IconEraser, IconPrinter } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppStatus } from '../../../shared/app'
import type { Settings } from '../../../shared/settings'
import { Callout, ErrorWords } from '../../ui/Callout'
import { isDialogOpen, toShortcut, whenNoDialogIsOpen } from '../../ui/dialogs'
import { useNavigation } from '../../ui/navigation'
import { focusField } from './fieldFocus'
import { KeptScans } from './KeptScans'
import { CombineDialog, HeldOrderDialog } from './OrderQuestions'
import { DuplicateDialog, OutcomePanel } from './OutcomePanel'
import { ShipForm } from './ShipForm'
import { LimitsPanel, SessionPanel } from './SidePanels'
import styles from './ship.module.css'
import { useCustoms, useShip } from './stores'

/** The main screen: type or scan, press F9, take the label. */
export function ShipScreen({ account, settings }: Pick<AppStatus, 'account'> & { settings: Settings }) {
  const { t } = useTranslation()
  const formRef = useRef<HTMLFieldSetElement>(null)
  const sideRef = useRef<HTMLElement>(null)
  useFocusRequests(formRef)
  useOutcomeInSight(sideRef)
  useShipKeys()
  return (
    <div className={styles.screen}>
      <div className={styles.left}>
        <h1 className="pb-title">{t('ship.title')}</h1>
        <AccountError account={account} />
        <KeptScans />
        <ShipForm formRef={formRef} />
        <ShipActions />
      </div>
      <aside ref={sideRef} className={styles.side} aria-label={t('ship.side')}>
        <OutcomePanel />
        <LimitsPanel />
        <SessionPanel settings={settings} />
      </aside>
      <DuplicateDialog />
      <CombineDialog />
      <HeldOrderDialog />
    </div>
  )
}

/** Why nothing can be shipped. An account without an API key is no reason: it gets one with the first shipment. */
function AccountError({ account: { state, error } }: Pick<AppStatus, 'account'>) {
  const { t } = useTranslation()
  const goTo = useNavigation((state) => state.goToSetup)
  if (state === 'connected' || (state === 'not-connected' && error === null)) return null
  return (
    <Callout
      tone="attention"
      actions={
        <Button variant="default" onClick={() => goTo('account')}>
          {t('ship.connectNow')}
        </Button>
      }
    >
      {state === 'none' || error === null ? t('ship.noAccount') : <ErrorWords error={error} />}
    </Callout>
  )
}

/** Time in which a dialog that closes returns the focus to where it was, in milliseconds. */
const focusReturnMs = 50

/**
 * Moves the cursor where the store requests it, and to the reference when the screen opens. While a dialog is open, it
 * keeps the cursor.
 */
function useFocusRequests(formRef: React.RefObject<HTMLFieldSetElement | null>): void {
  const focus = useShip((state) => state.focus)
  useEffect(() => {
    const moveCursor = () => focusField(formRef.current, focus?.field ?? 'reference', focus?.cursor)
    if (!isDialogOpen()) {
      moveCursor()
      return
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    let stopWaiting = () => {}
    const wait = () => {
      stopWaiting = whenNoDialogIsOpen(() => {
        timer = setTimeout(() => (isDialogOpen() ? wait() : moveCursor()), focusReturnMs)
      })
    }
    wait()
    return () => {
      stopWaiting()
      clearTimeout(timer)
    }
  }, [focus, formRef])
}

/** Scrolls to a new outcome: in a small window it is above the form, which has the cursor. */
function useOutcomeInSight(sideRef: React.RefObject<HTMLElement | null>): void {
  const sending = useShip((state) => state.sending)
  useEffect(() => {
    if (!sending) sideRef.current?.querySelector('[data-state]')?.scrollIntoView({ block: 'start' })
  }, [sending, sideRef])
}

function useShipKeys(): void {
  const submit = useShip((state) => state.submit)
  useHotkeys([['F9', toShortcut(() => void submit())]], [])
}

function ShipActions() {
  const { t } = useTranslation()
  const sending = useShip((state) => state.sending)
  const cleared = useShip((state) => state.cleared)
  const customsIssues = useCustoms((state) => Object.keys(state.issues).length)
  const issueCount = useShip((state) => Object.keys(state.issues).length) + customsIssues
  const submit = useShip((state) => state.submit)
  const clear = useShip((state) => state.clear)
  const undoClear = useShip((state) => state.undoClear)
  return (
    <div className={styles.actions}>
      <Button
        size="xl"
        className={styles.mainButton}
        leftSection={<IconPrinter size={28} aria-hidden />}
        rightSection={<kbd aria-hidden>F9</kbd>}
        aria-keyshortcuts="F9"
        aria-busy={sending}
        onClick={() => void submit()}
      >
        {sending ? t('ship.creating') : t('ship.createAndPrint')}
      </Button>
      {cleared ? (
        <Button
          variant="default"
          leftSection={<IconArrowBackUp size={20} aria-hidden />}
          disabled={sending}
          onClick={undoClear}
        >
          {t('ship.undoClear')}
        </Button>
      ) : (
        <Button
          variant="default"
          leftSection={<IconEraser size={20} aria-hidden />}
          disabled={sending}
          onClick={clear}
        >
          {t('ship.clear')}
        </Button>
      )}
      <Box component="p" flex={1} miw={120} fw={650} c="var(--pb-bad)" role="status">
        {issueCount > 0 ? t('ship.issuesSummary', { count: issueCount }) : ''}
      </Box>
    </div>
  )
}
