import { Button } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AccountStatus } from '../../../shared/account'
import type { Language } from '../../../shared/fields'
import { useBridgeMutation, useSettings } from '../../bridge'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { Mark } from '../../ui/Mark'
import { type SetupStep, setupSteps, useNavigation } from '../../ui/navigation'
import { AccountForm, useTakeAccount } from '../settings/AccountForm'
import { CarriersEditor } from '../settings/CarriersTab'
import { PrintersEditor } from '../settings/printers/PrintersTab'
import { useCarriersTab, usePrintersTab } from '../settings/tabForm'
import { FindPrinters } from './FindPrinters'
import { OrderStep } from './OrderStep'
import styles from './setup.module.css'
import { TestStep } from './TestStep'

const stepNames = {
  account: 'setup.stepAccount',
  carriers: 'setup.stepCarriers',
  printer: 'setup.stepPrinter',
  test: 'setup.stepTest',
  order: 'setup.stepOrder',
} as const

/** A station's first run: the account, then carriers, a printer, a label to try it and an order, which may wait. */
export function SetupScreen({ account }: { account: AccountStatus }) {
  const { t } = useTranslation()
  const { setupStep: chosen, goToSetup: goTo } = useNavigation((state) => state)
  const step = chosen ?? 'account'
  // From here on set-up stays in front until it is left, also when the account gets connected on the way.
  useEffect(() => {
    if (chosen === null) goTo('account')
  }, [chosen, goTo])
  useEffect(() => {
    document.title = `${t('setup.title')} — ${t('common.appName')}`
  }, [t])
  const main = useRef<HTMLElement>(null)
  const focusFirst = useCallback(() => {
    // Each step begins in its first field, or on its first button.
    main.current?.querySelector<HTMLElement>(`[data-step="${step}"] :is(input, button)`)?.focus()
  }, [step])
  useEffect(focusFirst, [focusFirst])
  return (
    <div className={styles.page}>
      <header className={styles.side}>
        <Mark />
        <h1 className={styles.title}>{t('setup.title')}</h1>
        <p className={styles.intro}>{t('setup.intro')}</p>
        <Steps current={step} />
      </header>
      <main className={styles.main} ref={main}>
        {step === 'account' ? <LanguageChoice onChosen={focusFirst} /> : null}
        <div data-step={step}>
          <StepContent step={step} account={account} />
        </div>
      </main>
    </div>
  )
}

const languages: readonly { code: Language; name: string }[] = [
  { code: 'en', name: 'English' },
  { code: 'nl', name: 'Nederlands' },
]

/** The first thing that set-up asks: the language, each in its own. */
function LanguageChoice({ onChosen }: { onChosen: () => void }) {
  const { t } = useTranslation()
  const current = useSettings()?.language
  const { mutate, error } = useBridgeMutation('changeSettings')
  return (
    <fieldset className={styles.language} aria-label={t('setup.language')}>
      {languages.map(({ code, name }) => (
        <Button
          key={code}
          lang={code}
          variant={code === current ? 'filled' : 'default'}
          aria-pressed={code === current}
          onClick={() => mutate({ language: code }, { onSuccess: onChosen })}
        >
          {name}
        </Button>
      ))}
      {error ? <ErrorCallout error={error} /> : null}
    </fieldset>
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

function AccountStep({ account }: { account: AccountStatus }) {
  const { t } = useTranslation()
  const { goToSetup: goTo, leaveSetup } = useNavigation((state) => state)
  const settings = useSettings()
  // A station that was set up before and only lost its credentials, as without a keyring at each start, goes to work.
  const isSetUp = settings !== undefined && settings.carriers.length > 0 && settings.printers.length > 0
  // As it was when the step opened: the status may say «connected» before the answer is here.
  const [wasConnected] = useState(account.state === 'connected')
  const isAskedAgain = !wasConnected && isSetUp
  return (
    <div className={styles.narrow}>
      <h2 className={styles.heading}>{t('setup.accountTitle')}</h2>
      <p>{t('setup.accountIntro')}</p>
      {account.state === 'locked' ? <Locked account={account} /> : null}
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
            <Button variant="subtle" size="xl" onClick={() => leaveSetup()}>
              {t('setup.later')}
            </Button>
          </>
        }
      />
    </div>
  )
}

/** A locked keyring can be unlocked; credentials that can't be read have to be typed again. */
function Locked({ account }: { account: AccountStatus }) {
  const { t } = useTranslation()
  const { mutate, isPending } = useBridgeMutation('testAccount', useTakeAccount())
  if (account.error?.code !== 'vault-locked')
    return <Callout tone="attention">{t('setup.lockedIntro')}</Callout>
  return (
    <>
      <ErrorCallout error={account.error} />
      <div className={styles.moves}>
        <Button loading={isPending} onClick={() => mutate(undefined)}>
          {t('setup.unlock')}
        </Button>
      </div>
    </>
  )
}

function CarriersStep({ account }: { account: AccountStatus }) {
  const { t } = useTranslation()
  const { save } = useCarriersTab()
  const goTo = useNavigation((state) => state.goToSetup)
  const saveAndGoOn = async () => {
    if (await save()) goTo('printer')
  }
  return (
    <div className={styles.wide}>
      {account.name ? <Callout tone="good">{t('setup.connectedAs', { name: account.name })}</Callout> : null}
      <h2 className={styles.heading}>{t('setup.carriersTitle')}</h2>
      <p>{t('setup.carriersIntro')}</p>
      <CarriersEditor />
      <StepMoves onNext={saveAndGoOn} next={t('setup.next')} onSkip={() => goTo('printer')} />
    </div>
  )
}

function PrinterStep() {
  const { t } = useTranslation()
  const { form, save } = usePrintersTab()
  const goTo = useNavigation((state) => state.goToSetup)
  const saveAndGoOn = async () => {
    if (!(await save())) return
    goTo(form.getValues().printers.length === 0 ? 'order' : 'test')
  }
  return (
    <div className={styles.wide}>
      <h2 className={styles.heading}>{t('setup.printerTitle')}</h2>
      <p>{t('setup.printerIntro')}</p>
      <FindPrinters />
      <PrintersEditor />
      <StepMoves
        onNext={saveAndGoOn}
        next={t('setup.next')}
        onSkip={() => goTo('order')}
        back={
          <Button variant="default" size="xl" onClick={() => goTo('carriers')}>
            {t('setup.back')}
          </Button>
        }
      />
    </div>
  )
}

interface StepMovesProps {
  next: string
  onNext: () => Promise<void>
  onSkip: () => void
  back?: ReactNode
}

function StepMoves({ next, onNext, onSkip, back }: StepMovesProps) {
  const { t } = useTranslation()
  return (
    <div className={styles.moves}>
      <Button size="xl" onClick={() => void onNext()}>
        {next}
      </Button>
      {back}
      <Button variant="subtle" size="xl" onClick={onSkip}>
        {t('setup.skip')}
      </Button>
    </div>
  )
}
