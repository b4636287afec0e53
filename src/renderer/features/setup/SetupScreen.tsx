import { Button } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { type ReactNode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { AccountStatus } from '../../../shared/settings'
import { Mark } from '../../app/Rail'
import { useSetup, useStores } from '../../app/storesContext'
import { Callout } from '../../components/Callout'
import { type SetupStep, setupSteps } from '../../stores/setupStore'
import { CarriersEditor } from '../settings/CarriersTab'
import { PrintersEditor } from '../settings/PrintersTab'
import { AccountForm } from './AccountForm'
import styles from './setup.module.css'

const stepNames = {
  account: 'setup.stepAccount',
  carriers: 'setup.stepCarriers',
  printer: 'setup.stepPrinter',
} as const

/** A station's first run: the account, then carriers and a printer, which may wait. */
export function SetupScreen({ account }: { account: AccountStatus }) {
  const { t } = useTranslation()
  const chosen = useSetup((state) => state.step)
  const step = chosen ?? 'account'
  const goTo = useSetup((state) => state.goTo)
  // From here on set-up stays in front until it is left, also when the account gets connected on the way.
  useEffect(() => {
    if (chosen === null) goTo('account')
  }, [chosen, goTo])
  useEffect(() => {
    document.title = `${t('setup.title')} — ${t('common.appName')}`
  }, [t])
  return (
    <div className={styles.page}>
      <header className={styles.side}>
        <Mark />
        <h1 className={styles.title}>{t('setup.title')}</h1>
        <p className={styles.intro}>{t('setup.intro')}</p>
        <Steps current={step} />
      </header>
      <main className={styles.main}>
        <StepContent step={step} account={account} />
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
    case 'account':
      return <AccountStep account={account} />
    case 'carriers':
      return <CarriersStep account={account} />
    case 'printer':
      return <PrinterStep />
  }
}

function AccountStep({ account }: { account: AccountStatus }) {
  const { t } = useTranslation()
  const { goTo, dismiss } = useSetup((state) => state)
  return (
    <div className={styles.narrow}>
      <h2 className={styles.heading}>{t('setup.accountTitle')}</h2>
      <p>{t('setup.accountIntro')}</p>
      {account.state === 'locked' ? <Callout tone="attention">{t('setup.lockedIntro')}</Callout> : null}
      <AccountForm
        storage={account.storage}
        onConnected={() => goTo('carriers')}
        more={
          <Button variant="subtle" size="xl" onClick={() => dismiss(true)}>
            {t('setup.later')}
          </Button>
        }
      />
    </div>
  )
}

function CarriersStep({ account }: { account: AccountStatus }) {
  const { t } = useTranslation()
  const { tabs } = useStores()
  const goTo = useSetup((state) => state.goTo)
  const saveAndGoOn = async () => {
    if (await tabs.carriers.getState().save()) goTo('printer')
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
  const { tabs } = useStores()
  const { goTo, dismiss } = useSetup((state) => state)
  const saveAndFinish = async () => {
    if (await tabs.printers.getState().save()) dismiss(true)
  }
  return (
    <div className={styles.wide}>
      <h2 className={styles.heading}>{t('setup.printerTitle')}</h2>
      <p>{t('setup.printerIntro')}</p>
      <PrintersEditor />
      <StepMoves
        onNext={saveAndFinish}
        next={t('setup.finish')}
        onSkip={() => dismiss(true)}
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
