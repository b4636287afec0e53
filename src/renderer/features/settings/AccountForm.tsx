import { Button, Group, Stack } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { createStore } from 'zustand/vanilla'
import type { AccountStatus } from '../../../shared/account'
import type { AppStatus } from '../../../shared/app'
import { applyStatus, queryKey, useBridgeMutation } from '../../bridge'
import { ErrorCallout } from '../../ui/Callout'
import { createStoreHook } from '../../ui/storeHook'
import { PasswordField, TextField } from '../../ui/TextField'
import styles from './settings.module.css'

/** Where the credentials are or will be stored, in words. */
export function useStorageText(): (account: Pick<AccountStatus, 'storage' | 'isKeyringLocked'>) => string {
  const { t } = useTranslation()
  return ({ storage, isKeyringLocked }) => {
    if (isKeyringLocked) return t('setup.storageLocked')
    const words = {
      keyring: t('setup.storageKeyring'),
      weak: t('setup.storageWeak'),
      memory: t('setup.storageMemory'),
    }
    return words[storage]
  }
}

/** Options of an account mutation: its answer updates the status. */
export function useAccountUpdate() {
  const client = useQueryClient()
  return {
    onSuccess(account: AccountStatus) {
      const status = client.getQueryData<AppStatus>(queryKey('getAppStatus', undefined))
      if (status) applyStatus(client, { ...status, account })
    },
  }
}

const fields = ['baseUrl', 'user', 'password'] as const
type Field = (typeof fields)[number]

/** The base URL outlives the form; user name and password never do. */
const useBaseUrl = createStoreHook(() => createStore(() => ({ baseUrl: '' })))

interface AccountFormProps {
  account: AccountStatus
  onConnected: () => void
  /** Further buttons beside «Connect». */
  more?: ReactNode
}

/** Base URL, user name and password. A scanner's Enter moves on, and connects only if all three are filled. */
export function AccountForm({ account, onConnected, more }: AccountFormProps) {
  const { t } = useTranslation()
  const store = useBaseUrl.getStore(useQueryClient())
  const baseUrl = useBaseUrl((state) => state.baseUrl)
  const [secrets, setSecrets] = useState({ user: '', password: '' })
  const [missing, setMissing] = useState<readonly Field[]>([])
  const [shown, setShown] = useState(false)
  const form = useRef<HTMLDivElement>(null)
  // SECURITY: credentials must not stay in the mutation cache (docs/threat-model.md).
  const { mutate, reset, isPending, data, error } = useBridgeMutation('connectAccount', {
    ...useAccountUpdate(),
    gcTime: 0,
  })
  const failure = error ?? data?.error
  const storageText = useStorageText()
  const values = { baseUrl, ...secrets }
  const focus = (field: Field) => form.current?.querySelector<HTMLInputElement>(`[name="${field}"]`)?.focus()

  const submit = () => {
    const empty = fields.filter((field) => values[field].trim() === '')
    const [first] = empty
    setMissing(empty)
    if (first !== undefined) {
      focus(first)
      return
    }
    mutate(values, {
      onSuccess({ state }) {
        if (state !== 'connected') return
        // SECURITY: connected, so the credentials are removed from the page.
        setSecrets({ user: '', password: '' })
        reset()
        onConnected()
      },
    })
  }
  const toField = (name: Field, next: Field | null) => {
    const label = t(`setup.${name}`)
    return {
      name,
      label,
      value: values[name],
      onChange(text: string) {
        if (name === 'baseUrl') store.setState({ baseUrl: text })
        else setSecrets({ ...secrets, [name]: text })
        setMissing(missing.filter((each) => each !== name))
      },
      onKeyDown(event: KeyboardEvent) {
        if (event.key !== 'Enter') return
        event.preventDefault()
        if (next) focus(next)
        else submit()
      },
      errorText: missing.includes(name) ? t('fieldIssues.required', { field: label }) : undefined,
    }
  }
  return (
    <Stack gap={16} ref={form}>
      <TextField {...toField('baseUrl', 'user')} hint={t('setup.baseUrlHint')} needed data-autofocus />
      <TextField {...toField('user', 'password')} needed />
      <PasswordField
        {...toField('password', null)}
        toggleLabel={t(shown ? 'setup.hidePassword' : 'setup.showPassword')}
        visible={shown}
        onVisibilityChange={setShown}
        needed
      />
      <p className={styles.storageWords}>
        <IconLock size={20} aria-hidden />
        {storageText(account)}
      </p>
      <ErrorCallout error={failure} />
      <Group align="stretch" gap={10}>
        <Button size="xl" loading={isPending} onClick={submit}>
          {isPending ? t('setup.connecting') : t('setup.connect')}
        </Button>
        {more}
      </Group>
    </Stack>
  )
}
