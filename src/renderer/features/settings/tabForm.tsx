import { Button, Group } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconCheck } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppError } from '../../../shared/errors'
import { type Settings, type SettingsChange, settingsChangeSchema } from '../../../shared/settings'
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
  /** Reads the typed values; undefined if they are invalid, which the fields then show. */
  read: () => SettingsChange | undefined
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
  /** Saves the parts of the settings that were changed in the tab. Returns whether that succeeded. */
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

  function read(): SettingsChange | undefined {
    const typed = tab.read(form.getValues(), settings)
    if (typed.ok) return typed.value
    form.setErrors(toFormErrors(typed.error))
    return undefined
  }

  async function save(): Promise<boolean> {
    if (isSaving) return false
    setError(null)
    const typed = read()
    if (typed === undefined) {
      setFailedValidations((before) => before + 1)
      return false
    }
    form.clearErrors()
    const before = tab.read(tab.toValues(shown.current), settings)
    setSaving(true)
    const saved = await callMain('changeSettings', omitUnchanged(typed, before.ok ? before.value : {}))
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

  const discard = () => show(settings)
  return { form, read, isDirty, isSaving, wasSaved, error, failedValidations, save, discard }
}

/** Omits the parts that nobody changed in the form: they may have been changed elsewhere meanwhile. */
function omitUnchanged(typed: SettingsChange, before: SettingsChange): SettingsChange {
  const change = { ...typed }
  for (const part of settingsChangeSchema.keyof().options) {
    if (JSON.stringify(typed[part]) === JSON.stringify(before[part])) delete change[part]
  }
  return change
}

function useAllTabs(settings: Settings) {
  return {
    carriers: useTabState(carriersForm, settings),
    defaults: useTabState(defaultsForm, settings),
    rules: useTabState(rulesForm, settings),
    printers: useTabState(printersForm, settings),
    tracking: useTabState(trackingForm, settings),
    customs: useTabState(customsForm, settings),
    people: useTabState(peopleForm, settings),
    fleet: useTabState(fleetForm, settings),
    network: useTabState(networkForm, settings),
    station: useTabState(stationForm, settings),
  }
}

type Tabs = ReturnType<typeof useAllTabs>

const TabsContext = createContext<Tabs | null>(null)

/** All tabs of the settings that have a form. */
export function useTabs(): Tabs {
  const tabs = useContext(TabsContext)
  if (!tabs) throw new Error('A tab of the settings was rendered outside SettingsForms.')
  return tabs
}

/** One tab of the settings. */
export function useTab<Name extends keyof Tabs>(name: Name): Tabs[Name] {
  return useTabs()[name]
}

function TabsProvider({ settings, children }: { settings: Settings; children: ReactNode }) {
  return <TabsContext value={useAllTabs(settings)}>{children}</TabsContext>
}

/** Keeps the input of all tabs above the screens, so that it survives a change of screen. */
export function SettingsForms({ children }: { children: ReactNode }) {
  const settings = useSettings()
  return settings === undefined ? null : <TabsProvider settings={settings}>{children}</TabsProvider>
}

/** A tab as seen by what saves it. */
export type SavedTab = Saving & { form: { errors: object } }

/**
 * Whether validation stopped the save of a tab. A save that it stops moves the focus to the first invalid field in the
 * parent of the element that gets the ref. Calls `onUnseen` if there is none. Who passes it shows only a part of the tab:
 * `isStopped` then becomes true only after that part had an invalid field.
 */
export function useStoppedSave({ form, failedValidations }: SavedTab, onUnseen?: () => void) {
  const belowFields = useRef<HTMLDivElement>(null)
  const before = useRef(failedValidations)
  const [isSeen, setSeen] = useState(onUnseen === undefined)
  const showIssue = useEffectEvent(() => {
    const invalid = belowFields.current?.parentElement?.querySelector<HTMLElement>('[aria-invalid="true"]')
    if (!invalid) return onUnseen?.()
    setSeen(true)
    invalid.focus()
  })
  useEffect(() => {
    if (before.current === failedValidations) return
    before.current = failedValidations
    showIssue()
  }, [failedValidations])
  return { belowFields, isStopped: isSeen && Object.keys(form.errors).length > 0 }
}

/** Saves or discards one tab, and shows its state. */
export function SaveBar({ tab }: { tab: SavedTab }) {
  const { t } = useTranslation()
  const { isDirty, isSaving, wasSaved, error, save, discard } = tab
  const stopped = useStoppedSave(tab)
  const isStopped = isDirty && stopped.isStopped
  return (
    <div className={styles.saveBar} ref={stopped.belowFields}>
      <ErrorCallout error={error} />
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
        <p role="status" className={styles.saveState} data-invalid={isStopped}>
          {isStopped ? t('settings.issuesSummary') : null}
          {!isStopped && isDirty ? t('settings.unsaved') : null}
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
