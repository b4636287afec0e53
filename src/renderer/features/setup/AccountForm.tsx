import { Button } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AccountStatus } from '../../../shared/settings'
import { useSetup } from '../../app/storesContext'
import { ErrorCallout } from '../../components/Callout'
import { PasswordField, TextField } from '../../components/TextField'
import type { AccountField } from '../../stores/setupStore'
import styles from './setup.module.css'

/** Where the credentials are or will be kept, in words. */
export function useStorageText(): (storage: AccountStatus['storage']) => string {
  const { t } = useTranslation()
  return (storage) => {
    const words = {
      keyring: t('setup.storageKeyring'),
      weak: t('setup.storageWeak'),
      memory: t('setup.storageMemory'),
    }
    return words[storage]
  }
}

interface AccountFormProps {
  storage: AccountStatus['storage']
  onConnected: () => void
  /** Further buttons beside «Connect». */
  more?: ReactNode
}

/** Base URL, user name and password. A scanner's Enter moves on, and connects only when all three are filled. */
export function AccountForm({ storage, onConnected, more }: AccountFormProps) {
  const { t } = useTranslation()
  const { baseUrl, user, password, missing, focus, busy, error, edit, connect } = useSetup((state) => state)
  const [shown, setShown] = useState(false)
  const storageText = useStorageText()
  const inputs = {
    baseUrl: useRef<HTMLInputElement>(null),
    user: useRef<HTMLInputElement>(null),
    password: useRef<HTMLInputElement>(null),
  }
  const focused = useRef(focus)
  useEffect(() => {
    if (focus && focus !== focused.current) inputs[focus.field].current?.focus()
    focused.current = focus
  })

  const submit = async () => {
    if (await connect()) onConnected()
  }
  const onEnter = (next: AccountField | null) => (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    if (next) inputs[next].current?.focus()
    else void submit()
  }
  const fault = (field: AccountField, label: string) =>
    missing[field] ? t('faults.required', { field: label }) : undefined

  return (
    <div className={styles.form}>
      <TextField
        ref={inputs.baseUrl}
        label={t('setup.baseUrl')}
        hint={t('setup.baseUrlHint')}
        value={baseUrl}
        onChange={(text) => edit('baseUrl', text)}
        onKeyDown={onEnter('user')}
        fault={fault('baseUrl', t('setup.baseUrl'))}
        needed
        data-autofocus
      />
      <TextField
        ref={inputs.user}
        label={t('setup.user')}
        value={user}
        onChange={(text) => edit('user', text)}
        onKeyDown={onEnter('password')}
        fault={fault('user', t('setup.user'))}
        needed
      />
      <PasswordField
        inputRef={inputs.password}
        label={t('setup.password')}
        value={password}
        onChange={(text) => edit('password', text)}
        onKeyDown={onEnter(null)}
        fault={fault('password', t('setup.password'))}
        showLabel={t('setup.showPassword')}
        hideLabel={t('setup.hidePassword')}
        shown={shown}
        onShownChange={setShown}
      />
      <p className={styles.storage}>
        <IconLock size={20} aria-hidden />
        {storageText(storage)}
      </p>
      {error ? <ErrorCallout error={error} /> : null}
      <div className={styles.moves}>
        <Button size="xl" loading={busy} onClick={() => void submit()}>
          {busy ? t('setup.connecting') : t('setup.connect')}
        </Button>
        {more}
      </div>
    </div>
  )
}
