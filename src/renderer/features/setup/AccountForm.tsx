import { Button } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AccountStatus } from '../../../shared/account'
import { ErrorCallout } from '../../ui/Callout'
import { PasswordField, TextField } from '../../ui/TextField'
import styles from './setup.module.css'
import type { AccountField } from './setupStore'
import { useSetup } from './stores'

/** Where the credentials are or will be kept, in words. */
export function useStorageText(): (account: Pick<AccountStatus, 'storage' | 'error'>) => string {
  const { t } = useTranslation()
  return ({ storage, error }) => {
    if (error?.code === 'vault-locked') return t('setup.storageLocked')
    const words = {
      keyring: t('setup.storageKeyring'),
      weak: t('setup.storageWeak'),
      memory: t('setup.storageMemory'),
    }
    return words[storage]
  }
}

interface AccountFormProps {
  account: AccountStatus
  onConnected: () => void
  /** Further buttons beside «Connect». */
  more?: ReactNode
}

/** Base URL, user name and password. A scanner's Enter moves on, and connects only when all three are filled. */
export function AccountForm({ account, onConnected, more }: AccountFormProps) {
  const { t } = useTranslation()
  const busy = useSetup((state) => state.busy)
  const error = useSetup((state) => state.error)
  const connect = useSetup((state) => state.connect)
  const storageText = useStorageText()
  const clear = useSetup((state) => state.clear)
  useEffect(() => clear, [clear])
  const submit = async () => {
    if (await connect()) onConnected()
  }
  return (
    <div className={styles.form}>
      <AccountFields onEnd={() => void submit()} />
      <p className={styles.storage}>
        <IconLock size={20} aria-hidden />
        {storageText(account)}
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

/** The inputs of the form, and the cursor where the store wants it. */
function useAccountInputs() {
  const baseUrl = useRef<HTMLInputElement>(null)
  const user = useRef<HTMLInputElement>(null)
  const password = useRef<HTMLInputElement>(null)
  const inputs = useMemo(() => ({ baseUrl, user, password }), [])
  const focus = useSetup((state) => state.focus)
  const before = useRef(focus)
  useEffect(() => {
    if (focus && focus !== before.current) inputs[focus.field].current?.focus()
    before.current = focus
  }, [focus, inputs])
  return inputs
}

/** The three fields; Enter in the last one calls `onEnd`. */
function AccountFields({ onEnd }: { onEnd: () => void }) {
  const { t } = useTranslation()
  const { baseUrl, user, password, missing, edit } = useSetup((state) => state)
  const [shown, setShown] = useState(false)
  const inputs = useAccountInputs()
  const onEnter = (next: AccountField | null) => (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    if (next) inputs[next].current?.focus()
    else onEnd()
  }
  const named = (field: AccountField) => {
    const label = t(`setup.${field}`)
    return {
      label,
      onChange: (text: string) => edit(field, text),
      fault: missing[field] ? t('faults.required', { field: label }) : undefined,
    }
  }
  return (
    <>
      <TextField
        {...named('baseUrl')}
        ref={inputs.baseUrl}
        hint={t('setup.baseUrlHint')}
        value={baseUrl}
        onKeyDown={onEnter('user')}
        needed
        data-autofocus
      />
      <TextField {...named('user')} ref={inputs.user} value={user} onKeyDown={onEnter('password')} needed />
      <PasswordField
        {...named('password')}
        inputRef={inputs.password}
        value={password}
        onKeyDown={onEnter(null)}
        showLabel={t('setup.showPassword')}
        hideLabel={t('setup.hidePassword')}
        shown={shown}
        onShownChange={setShown}
      />
    </>
  )
}
