import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../../../shared/bridge'
import { type CustomsParty, type SenderProfile, senderProfileSchema } from '../../../../shared/customs'
import type { AppError } from '../../../../shared/errors'
import { withPermission } from '../../../bridge'
import { issuesByPath, type ValidationIssue } from '../../../ui/validation'
import type { CustomsStore } from '../../ship/customs/customsStore'

/** A sender as it is being typed. */
export interface SenderForm {
  profile: SenderProfile
  issues: Record<string, ValidationIssue>
  error: AppError | null
}

export interface SendersState {
  /** What was typed and is not saved, by the sender's id; it stays when the operator looks elsewhere. */
  forms: Readonly<Record<string, SenderForm>>
  /** The sender that is not stored yet. */
  added: SenderProfile | null
  /** The sender that was removed last, to bring it back. */
  removed: SenderProfile | null
  add: () => void
  edit: (profile: SenderProfile) => void
  save: (profile: SenderProfile) => Promise<void>
  remove: (profile: SenderProfile) => Promise<void>
  bringBack: () => Promise<void>
}

export type SendersStore = StoreApi<SendersState>

const nobody: CustomsParty = {
  companyName: '',
  name: '',
  street: '',
  houseNumber: '',
  postalCode: '',
  city: '',
  country: 'NL',
  email: '',
  phoneNumber: '',
  type: 'Y',
  vatNumber: '',
  eoriNumber: '',
}

/** The senders of the settings while they are typed; what is stored of them is in `customs`. */
export function createSendersStore(
  bridge: BridgeClient,
  customs: CustomsStore,
  newId: () => string,
): SendersStore {
  return createStore<SendersState>((set, get) => {
    const show = (form: SenderForm) => set({ forms: { ...get().forms, [form.profile.id]: form } })

    /** Lets the form go: what is stored counts again. */
    async function done(id: string): Promise<void> {
      await customs.getState().loadProfiles()
      const { [id]: _, ...forms } = get().forms
      set({ forms, added: get().added?.id === id ? null : get().added })
    }

    return {
      forms: {},
      added: null,
      removed: null,
      add: () => set({ added: { id: newId(), name: '', party: nobody } }),
      edit: (profile) => show({ issues: {}, error: null, ...get().forms[profile.id], profile }),
      async save(profile) {
        const parsed = senderProfileSchema.safeParse(profile)
        show({ profile, issues: parsed.success ? {} : issuesByPath(parsed.error), error: null })
        if (!parsed.success) return
        const saved = await withPermission(() => bridge.saveSenderProfile(parsed.data))
        if (saved.ok) await done(profile.id)
        else show({ profile, issues: {}, error: saved.error })
      },
      async remove(profile) {
        if (get().added?.id !== profile.id) {
          const stored = customs.getState().profiles.find(({ id }) => id === profile.id)
          const removed = await withPermission(() => bridge.removeSenderProfile({ id: profile.id }))
          if (!removed.ok) {
            show({ profile, issues: {}, error: removed.error })
            return
          }
          set({ removed: stored ?? null })
        }
        await done(profile.id)
      },
      async bringBack() {
        const { removed } = get()
        if (removed === null) return
        set({ removed: null })
        await get().save(removed)
      },
    }
  })
}
