import { Button, Group } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconCheck } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AccountStatus } from '../../../shared/account'
import { useBridgeMutation, useSettings, useStatus } from '../../bridge'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { Logo } from '../../ui/Logo'
import { type SetupStep, setupSteps, useNavigation } from '../../ui/navigation'
import { Panel } from '../../ui/Panel'
import { CountrySelect } from '../../ui/SearchSelect'
import { AccountForm, useAccountUpdate } from '../settings/AccountForm'
import { CarriersEditor } from '../settings/CarriersTab'
import { PrintersEditor } from '../settings/printers/PrintersTab'
import { RoutingEditor } from '../settings/printers/RoutingEditor'
import { type SavedTab, useTab } from '../settings/tabForm'
import { FindPrinters } from './FindPrinters'
import { LanguageStep } from './LanguageStep'
import { OrderStep } from './OrderStep'
import { StepFooter } from './StepFooter'
import styles from './setup.module.css'
import { TestStep } from './TestStep'

const stepNames = {
  language: 'setup.stepLanguage',
  account: 'setup.stepAccount',
  carriers: 'setup.stepCarriers',
  printer: 'setup.stepPrinter',
  test: 'setup.stepTest',
  order: 'setup.stepOrder',
} as const

/**
 * The first run of a station: language, account, carriers, printer, test label and sample. Each can wait.
 */
export function SetupScreen({ account }: { account: AccountStatus }) {
  const { t } = useTranslation()
  const { setupStep: chosen, goToSetup: goTo, leaveSetup, showHelp } = useNavigation((state) => state)
  const isSetUp = useIsSetUp()
  // A station that was set up and only lost its credentials needs the account step only.
  const begin = isSetUp || account.state === 'locked' ? 'account' : 'language'
  const step = chosen ?? begin
  const isComplete = isSetUp && account.state !== 'none' && account.state !== 'locked'
  const wasComplete = useRef(isComplete)
  // The step that an earlier run left unfinished, of a station that was provisioned or restored since.
  const [isOutdated] = useState(isComplete && (chosen === 'carriers' || chosen === 'printer'))
  useEffect(() => {
    // A provisioning file handed to the running station completes it while one of these steps is open.
    const isProvisioned = isComplete && !wasComplete.current && (step === 'language' || step === 'account')
    wasComplete.current = isComplete
    if (isOutdated || isProvisioned) leaveSetup()
  }, [isComplete, isOutdated, step, leaveSetup])
  // From now on set-up stays open until it is left, even if the account gets connected in it.
  useEffect(() => {
    if (chosen === null) goTo(begin)
  }, [chosen, begin, goTo])
  useDocumentTitle(`${t('setup.title')} — ${t('common.appName')}`)
  const main = useRef<HTMLElement>(null)
  useEffect(() => {
    // Focuses the first invalid field, else the element that the step marks, else its first field or button.
    const find = (selector: string) =>
      main.current?.querySelector<HTMLElement>(`[data-step="${step}"] ${selector}`)
    const first = find('[aria-invalid="true"]') ?? find('[data-first]') ?? find(':is(input, button)')
    first?.focus()
  }, [step])
  return (
    <div className={styles.page}>
      <header className={styles.side}>
        <Logo />
        <h1 className={styles.title}>{t('setup.title')}</h1>
        <p className={styles.intro}>{t('setup.intro')}</p>
        <Steps current={step} />
        <Button variant="default" aria-keyshortcuts="F1" onClick={() => showHelp(true)}>
          {t('nav.help')}
        </Button>
      </header>
      <main className={styles.main} ref={main}>
        <div data-step={step}>
          <StepContent step={step} account={account} />
        </div>
      </main>
    </div>
  )
}

function Steps({ current }: { current: SetupStep }) {
  const { t } = useTranslation()
  const at = setupSteps.indexOf(current)
  return (
    <ol className={styles.steps} aria-label={t('setup.steps')}>
      {setupSteps.map((step, index) => (
        <li key={step} className={styles.step} aria-current={step === current ? 'step' : undefined}>
          <span className={styles.stepNumber}>
            {index < at ? <IconCheck size={20} aria-hidden /> : index + 1}
          </span>
          {t(stepNames[step])}
        </li>
      ))}
    </ol>
  )
}

function StepContent({ step, account }: { step: SetupStep; account: AccountStatus }) {
  switch (step) {
    case 'language':
      return <LanguageStep />
    case 'account':
      return <AccountStep account={account} />
    case 'carriers':
      return <CarriersStep account={account} />
    case 'printer':
      return <PrinterStep />
    case 'test':
      return <TestStep />
    case 'order':
      return <OrderStep />
  }
}

function useIsSetUp(): boolean {
  return useSettings(({ carriers, printers }) => carriers.length > 0 && printers.length > 0) === true
}

function AccountStep({ account }: { account: AccountStatus }) {
  const { t } = useTranslation()
  const { goToSetup: goTo, leaveSetup } = useNavigation((state) => state)
  // A station that was set up and only lost its credentials, e.g. without a keyring at each start, skips the other
  // steps.
  const isSetUp = useIsSetUp()
  // The state when the step opened: the status may say «connected» before the answer arrives.
  const [wasConnected] = useState(account.state === 'connected')
  const isAskedAgain = !wasConnected && isSetUp
  return (
    <div className={styles.narrow}>
      <h2 className={styles.heading}>{t('setup.accountTitle')}</h2>
      <p>{t('setup.accountIntro')}</p>
      {account.state === 'locked' || account.isKeyringLocked ? <Locked account={account} /> : null}
      <AccountForm
        account={account}
        onConnected={() => (isAskedAgain ? leaveSetup() : goTo('carriers'))}
        more={
          <>
            {account.state === 'connected' ? (
              <Button variant="default" size="xl" onClick={() => goTo('carriers')}>
                {t('setup.keepAccount')}
              </Button>
            ) : null}
            <Button variant="default" size="xl" onClick={() => goTo('language')}>
              {t('setup.back')}
            </Button>
            <Button variant="subtle" size="xl" onClick={() => leaveSetup()}>
              {t('setup.later')}
            </Button>
          </>
        }
      />
    </div>
  )
}

/** A locked keyring can be unlocked; unreadable credentials must be typed again. */
function Locked({ account }: { account: AccountStatus }) {
  const { t } = useTranslation()
  const { mutate, isPending } = useBridgeMutation('testAccount', useAccountUpdate())
  if (!account.isKeyringLocked) return <Callout tone="attention">{t('setup.lockedIntro')}</Callout>
  return (
    <>
      <ErrorCallout error={account.error} />
      <Group align="stretch" gap={12} mt={6}>
        <Button loading={isPending} onClick={() => mutate(undefined)}>
          {t('setup.unlock')}
        </Button>
      </Group>
    </>
  )
}

/**
 * The default country of new parcels: from the settings, else the computer's country. A station that has carrier options
 * was set up without one, so it is not offered there.
 */
function useDestination() {
  const settings = useSettings()
  const systemCountry = useStatus((status) => status.systemCountry) ?? ''
  const offered = settings?.carriers.length === 0 ? systemCountry : ''
  const [country, setCountry] = useState(settings?.shipmentDefaults.country ?? offered)
  const { mutate, error } = useBridgeMutation('changeSettings')
  const save = (onSaved: () => void) => {
    const { country: before, ...others } = settings?.shipmentDefaults ?? {}
    if (country === (before ?? '')) return onSaved()
    const shipmentDefaults = country === '' ? others : { ...others, country }
    mutate({ shipmentDefaults }, { onSuccess: onSaved })
  }
  return { country, setCountry, error, save }
}

function CarriersStep({ account }: { account: AccountStatus }) {
  const { t } = useTranslation()
  const tab = useTab('carriers')
  const destination = useDestination()
  const goTo = useNavigation((state) => state.goToSetup)
  const saveAndGoOn = async () => {
    if (await tab.save()) destination.save(() => goTo('printer'))
  }
  return (
    <div className={styles.wide}>
      {account.name ? <Callout tone="good">{t('setup.connectedAs', { name: account.name })}</Callout> : null}
      <h2 className={styles.heading}>{t('setup.carriersTitle')}</h2>
      <p>{t('setup.carriersIntro')}</p>
      <CarriersEditor />
      <Panel title={t('setup.destination')}>
        <p className="pb-soft">{t('setup.destinationHint')}</p>
        <div className={styles.destination}>
          <CountrySelect
            label={t('fields.country')}
            value={destination.country}
            onChange={destination.setCountry}
            clearable
          />
        </div>
        <ErrorCallout error={destination.error} />
      </Panel>
      <StepActions
        tab={tab}
        onNext={saveAndGoOn}
        next="printer"
        back="account"
        onSkip={() => goTo('printer')}
      />
    </div>
  )
}

function PrinterStep() {
  const { t } = useTranslation()
  const tab = useTab('printers')
  const { printers } = tab.form.values
  const goTo = useNavigation((state) => state.goToSetup)
  // Without a printer there is no test label.
  const next = printers.length === 0 ? 'order' : 'test'
  const saveAndGoOn = async () => {
    if (await tab.save()) goTo(next)
  }
  return (
    <div className={styles.wide}>
      <h2 className={styles.heading}>{t('setup.printerTitle')}</h2>
      <p>{t('setup.printerIntro')}</p>
      <FindPrinters />
      <PrintersEditor />
      <RoutingEditor fromPrinters={2} />
      <StepActions tab={tab} onNext={saveAndGoOn} next={next} back="carriers" onSkip={() => goTo('order')} />
    </div>
  )
}

interface StepActionsProps {
  next: SetupStep
  back: SetupStep
  /** The tab of the settings that the step saves. */
  tab: SavedTab
  onNext: () => Promise<void>
  onSkip: () => void
}

function StepActions({ next, tab, onNext, onSkip, back }: StepActionsProps) {
  const { t } = useTranslation()
  const goTo = useNavigation((state) => state.goToSetup)
  return (
    <StepFooter tab={tab}>
      <Button size="xl" onClick={() => void onNext()}>
        {t('setup.next', { step: t(stepNames[next]) })}
      </Button>
      <Button variant="default" size="xl" onClick={() => goTo(back)}>
        {t('setup.back')}
      </Button>
      <Button variant="subtle" size="xl" onClick={onSkip}>
        {t('setup.skip')}
      </Button>
    </StepFooter>
  )
}
