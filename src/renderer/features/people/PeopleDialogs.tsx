import { Button, Group, Modal } from '@mantine/core'
import { IconId } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PeopleSettings } from '../../../shared/people'
import { setPermissionPrompt, useBridgeMutation, usePeopleStatus, useSettings } from '../../bridge'
import { ErrorCallout } from '../../ui/Callout'
import { useNavigation } from '../../ui/navigation'
import { PinField, TextField } from '../../ui/TextField'
import styles from './people.module.css'
import { usePeople } from './peopleStore'

/** Above every other dialog, since an action in one of them may need the PIN. */
const zIndex = 300

/** The dialogs for signing in and for the administrator's PIN. */
export function PeopleDialogs() {
  const { t } = useTranslation()
  const permission = usePeople(({ request }) => request?.permission)
  const end = usePeople((state) => state.end)
  usePermissionPrompts()
  const common = {
    onClose: () => end(false),
    zIndex,
  }
  return (
    <>
      <Modal {...common} opened={permission === 'operator'} title={t('people.who')} size={620}>
        <SignIn />
      </Modal>
      <Modal {...common} opened={permission === 'pin'} title={t('people.pinTitle')} size={420}>
        <PinForm />
      </Modal>
    </>
  )
}

/** Opens the dialogs: for a call that needs an operator or the PIN, and where signing in is required. */
function usePermissionPrompts(): void {
  const client = useQueryClient()
  const people = usePeopleStatus()
  const settings = useSettings((all) => all.people)
  const isMissing =
    settings?.isRequired === true && settings.operators.length > 0 && people?.operator === null
  useEffect(() => setPermissionPrompt((what) => usePeople.getStore(client).getState().ask(what)), [client])
  useEffect(
    () =>
      useNavigation.getStore(client).subscribe(({ badge }, before) => {
        if (badge !== null && badge !== before.badge)
          void usePeople.getStore(client).getState().takeBadge(badge.id)
      }),
    [client],
  )
  useEffect(() => {
    if (isMissing) void usePeople.getStore(client).getState().ask('operator')
  }, [client, isMissing])
}

function SignIn() {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const end = usePeople((state) => state.end)
  const operators = useSettings(({ people }) => people.operators) ?? []
  const current = usePeopleStatus()?.operator ?? null
  const signIn = useBridgeMutation('signIn', { onSuccess: () => end(true), onError: () => setText('') })
  const signOut = useBridgeMutation('signOut', { onSuccess: () => end(false) })
  const found = filterByName(operators, text)
  const scanned = usePeople((state) => state.error)
  const error = signIn.error ?? scanned
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const typed = text.trim()
    const [only] = found
    if (typed === '') return
    const isBadge = operators.some(({ badge }) => badge === typed)
    signIn.mutate(!isBadge && found.length === 1 && only ? { name: only.name } : { badge: typed })
  }
  return (
    <form onSubmit={submit}>
      <TextField
        label={t('people.badgeOrName')}
        hint={t('people.badgeHint')}
        value={text}
        onChange={setText}
        maxLength={100}
        data-autofocus
      />
      <ErrorCallout error={error} />
      <ul className={styles.names} aria-label={t('people.operators')}>
        {found.map(({ name }) => (
          <li key={name}>
            <Button
              variant="default"
              fullWidth
              justify="flex-start"
              leftSection={<IconId size={22} aria-hidden />}
              aria-current={name === current || undefined}
              onClick={() => signIn.mutate({ name })}
            >
              {name}
              {name === current ? ` · ${t('people.signedIn')}` : ''}
            </Button>
          </li>
        ))}
      </ul>
      <Group justify="flex-end" align="stretch" gap={10} mt={18}>
        {current === null ? null : (
          <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate(undefined)}>
            {t('people.signOut', { name: current })}
          </Button>
        )}
        <Button variant="default" onClick={() => end(false)}>
          {t('common.cancel')}
        </Button>
      </Group>
    </form>
  )
}

/** Operators whose name contains every typed word; all while a badge may be being scanned. */
function filterByName(operators: PeopleSettings['operators'], text: string): PeopleSettings['operators'] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return operators.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
}

function PinForm() {
  const { t } = useTranslation()
  const [pin, setPin] = useState('')
  const end = usePeople((state) => state.end)
  // SECURITY: the PIN must not stay in the mutation cache (docs/threat-model.md).
  const { mutate, reset, isPending, error } = useBridgeMutation('enterPin', {
    gcTime: 0,
    onSuccess() {
      reset()
      end(true)
    },
    onSettled: () => setPin(''),
  })
  const minutes = useSettings(({ people }) => people.grantMinutes) ?? 0
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (pin !== '') mutate({ pin })
      }}
    >
      <PinField
        label={t('people.pin')}
        hint={t('people.pinHint', { count: minutes })}
        value={pin}
        onChange={setPin}
        data-autofocus
      />
      <ErrorCallout error={error} />
      <Group justify="flex-end" align="stretch" gap={10} mt={18}>
        <Button type="submit" loading={isPending}>
          {t('people.unlock')}
        </Button>
        <Button variant="default" onClick={() => end(false)}>
          {t('common.cancel')}
        </Button>
      </Group>
    </form>
  )
}
