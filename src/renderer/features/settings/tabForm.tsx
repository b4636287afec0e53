import { Button, Group } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconCheck } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppError } from '../../../shared/errors'
import type { Settings } from '../../../shared/settings'
import { callMain, queryKey, useSettings } from '../../bridge'
import { ErrorCallout } from '../../ui/Callout'
import { toFormErrors } from '../../ui/validation'
import {
  carriersForm,
  customsForm,
  defaultsForm,
  fleetForm,
  networkForm,
  peopleForm,
  stationForm,
  type TabForm,
  trackingForm,
} from './form'
import { printersForm } from './printers/form'
import { rulesForm } from './rules/form'
import styles from './settings.module.css'

/** One tab of the settings. Its input is kept until it is saved or discarded, whatever else changes. */
interface SettingsTab<Values extends Typed> extends Saving {
  form: ReturnType<typeof useForm<Values>>
}

type Typed = Record<string, unknown>

interface Saving {
  isDirty: boolean
  isSaving: boolean
  /** Whether the tab was saved since the app started. */
  wasSaved: boolean
  error: AppError | null
  /** How often validation stopped a save. */
  failedValidations: number
  /** Returns whether the save succeeded. */
  save: () => Promise<boolean>
  discard: () => void
}

function useTabState<Values extends Typed>(tab: TabForm<Values>, settings: Settings): SettingsTab<Values> {
  const client = useQueryClient()
  const [initialValues] = useState(() => tab.toValues(settings))
  const form = useForm<Values>({ initialValues })
  const [isSaving, setSaving] = useState(false)
  const [wasSaved, setSaved] = useState(false)
  const [error, setError] = useState<AppError | null>(null)
  const [failedValidations, setFailedValidations] = useState(0)
  const shown = useRef(settings)
  const show = (next: Settings) => {
    shown.current = next
    form.setInitialValues(tab.toValues(next))
    form.reset()
    setError(null)
  }
  const isDirty = form.isDirty()
  useEffect(() => {
    if (shown.current !== settings && !isDirty && !isSaving) show(settings)
  })

  async function save(): Promise<boolean> {
    if (isSaving) return false
    setError(null)
    const read = tab.read(form.getValues(), settings)
    if (!read.ok) {
      form.setErrors(toFormErrors(read.error))
      setFailedValidations((before) => before + 1)
      return false
    }
    form.clearErrors()
    setSaving(true)
    const saved = await callMain('changeSettings', read.value)
    setSaving(false)
    if (!saved.ok) {
      setError(saved.error)
      return false
    }
    // setQueryData shares unchanged parts with the previous settings, so its result is the object that components
    // see.
    show(client.setQueryData<Settings>(queryKey('getSettings', undefined), saved.value) ?? saved.value)
    setSaved(true)
    return true
  }

  return { form, isDirty, isSaving, wasSaved, error, failedValidations, save, discard: () => show(settings) }
}

interface TabProviderProps {
  settings: Settings
  children: ReactNode
}

function createTab<Values extends Typed>(tab: TabForm<Values>) {
  const Context = createContext<SettingsTab<Values> | null>(null)
  function TabProvider({ settings, children }: TabProviderProps) {
    return <Context value={useTabState(tab, settings)}>{children}</Context>
  }
  function useTab(): SettingsTab<Values> {
    const state = useContext(Context)
    if (!state) throw new Error('A tab of the settings was rendered outside SettingsForms.')
    return state
  }
  return [TabProvider, useTab] as const
}

const [CarriersProvider, useCarriersTab] = createTab(carriersForm)
const [DefaultsProvider, useDefaultsTab] = createTab(defaultsForm)
const [RulesProvider, useRulesTab] = createTab(rulesForm)
const [PrintersProvider, usePrintersTab] = createTab(printersForm)
const [TrackingProvider, useTrackingTab] = createTab(trackingForm)
const [CustomsProvider, useCustomsTab] = createTab(customsForm)
const [PeopleProvider, usePeopleTab] = createTab(peopleForm)
const [FleetProvider, useFleetTab] = createTab(fleetForm)
const [NetworkProvider, useNetworkTab] = createTab(networkForm)
const [StationProvider, useStationTab] = createTab(stationForm)

export {
  useCarriersTab,
  useCustomsTab,
  useDefaultsTab,
  useFleetTab,
  useNetworkTab,
  usePeopleTab,
  usePrintersTab,
  useRulesTab,
  useStationTab,
  useTrackingTab,
}

/** Keeps the input of all tabs above the screens, so that it survives a change of screen. */
export function SettingsForms({ children }: { children: ReactNode }) {
  const settings = useSettings()
  if (settings === undefined) return null
  return (
    <CarriersProvider settings={settings}>
      <DefaultsProvider settings={settings}>
        <RulesProvider settings={settings}>
          <PrintersProvider settings={settings}>
            <TrackingProvider settings={settings}>
              <CustomsProvider settings={settings}>
                <PeopleProvider settings={settings}>
                  <FleetProvider settings={settings}>
                    <NetworkProvider settings={settings}>
                      <StationProvider settings={settings}>{children}</StationProvider>
                    </NetworkProvider>
                  </FleetProvider>
                </PeopleProvider>
              </CustomsProvider>
            </TrackingProvider>
          </PrintersProvider>
        </RulesProvider>
      </DefaultsProvider>
    </CarriersProvider>
  )
}

/**
 * Saves or discards one tab, and shows its state. A save that validation stops moves the focus to the first invalid
 * field of the tab, which is the bar's parent element.
 */
export function SaveBar({ tab }: { tab: Saving & { form: { errors: object } } }) {
  const { t } = useTranslation()
  const { form, isDirty, isSaving, wasSaved, error, failedValidations, save, discard } = tab
  const hasIssues = Object.keys(form.errors).length > 0
  const bar = useRef<HTMLDivElement>(null)
  const before = useRef(failedValidations)
  useEffect(() => {
    if (before.current === failedValidations) return
    before.current = failedValidations
    bar.current?.parentElement?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [failedValidations])
  return (
    <div className={styles.saveBar} ref={bar}>
      {error ? <ErrorCallout error={error} /> : null}
      <Group gap={12}>
        <Button
          miw={140}
          loading={isSaving}
          aria-disabled={!isDirty}
          data-disabled={!isDirty || undefined}
          onClick={() => {
            if (isDirty) void save()
          }}
        >
          {t('common.save')}
        </Button>
        {isDirty ? (
          <Button variant="default" disabled={isSaving} onClick={discard}>
            {t('common.discard')}
          </Button>
        ) : null}
        <p role="status" className={styles.saveState} data-invalid={hasIssues && isDirty}>
          {hasIssues && isDirty ? t('settings.issuesSummary') : null}
          {!hasIssues && isDirty ? t('settings.unsaved') : null}
          {!isDirty && wasSaved ? (
            <>
              <IconCheck size={20} aria-hidden /> {t('settings.saved')}
            </>
          ) : null}
        </p>
      </Group>
    </div>
  )
}
