import { describe, expect, it } from 'vitest'
import { createVault, type StoredAccount } from '../../../src/main/account/vault'
import { fakeCipher, memoryFile } from './memoryFile'

const account: StoredAccount = {
  baseUrl: 'https://carrier.example/api',
  user: 'station-user',
  password: 'station-password',
  apiKey: 'k3y-0f-the-station',
  customerId: '1',
  accountId: '2',
  name: 'Warehouse',
}

function toVault(file = memoryFile(), cipher = fakeCipher(), allowWeak = false) {
  return { file, cipher, vault: createVault({ file, cipher, allowWeak: () => allowWeak }) }
}

describe('the vault', () => {
  it('stores an account as ciphertext only', () => {
    const { file, vault } = toVault()
    expect(vault.load()).toEqual({ ok: true, value: null })
    expect(vault.save(account, 'leave')).toEqual({ ok: true, value: 'keyring' })
    expect(file.content).toMatchObject({ version: 1, storage: 'keyring', account: expect.any(String) })
    for (const secret of [account.user, account.password, 'k3y-0f-the-station', account.baseUrl]) {
      expect(JSON.stringify(file.content)).not.toContain(secret)
      expect(JSON.stringify(file.content)).not.toContain(Buffer.from(secret).toString('base64'))
    }
    expect(toVault(file).vault.load()).toEqual({ ok: true, value: { account, storage: 'keyring' } })
  })

  it('removes the ciphertext from the disk when the account is forgotten', () => {
    const { file, vault } = toVault()
    vault.save(account, 'leave')
    expect(vault.clear().ok).toBe(true)
    expect(file.content).toEqual({ version: 1, storage: null, account: null })
    expect(vault.load()).toEqual({ ok: true, value: null })
  })

  it.each([
    ['no encryption', fakeCipher('none'), false],
    ['weak encryption that is not allowed', fakeCipher('weak'), false],
  ])('writes nothing to the disk with %s', (_name, cipher, allowWeak) => {
    const { file, vault } = toVault(memoryFile(), cipher, allowWeak)
    expect(vault.storage()).toBe('memory')
    expect(vault.save(account, 'leave')).toEqual({ ok: true, value: 'memory' })
    expect(vault.clear().ok).toBe(true)
    expect(file.writes).toBe(0)
    expect(vault.encrypt('https://labels.example/1')).toBeNull()
  })

  it('stores an account with weak encryption when that is allowed', () => {
    const { file, vault } = toVault(memoryFile(), fakeCipher('weak'), true)
    expect(vault.storage()).toBe('weak')
    vault.save(account, 'leave')
    expect(file.content).toMatchObject({ storage: 'weak' })
    expect(vault.load()).toEqual({ ok: true, value: { account, storage: 'weak' } })
  })

  const elsewhere = () => {
    const { file, vault } = toVault(memoryFile(), fakeCipher('keyring', 'another-machine'))
    vault.save(account, 'leave')
    return file
  }
  const withAddress = (baseUrl: string) => {
    const { file, vault } = toVault()
    vault.save({ ...account, baseUrl }, 'leave')
    return file
  }
  it.each([
    ['of another machine', elsewhere(), fakeCipher()],
    ['with an address that a key may not travel to', withAddress('http://carrier.example'), fakeCipher()],
    ['without its keyring', elsewhere(), fakeCipher('none')],
    ['that is no JSON', memoryFile('not json'), fakeCipher()],
    ['of a newer version', memoryFile({ version: 2, storage: 'keyring', account: null }), fakeCipher()],
    ['with other content', memoryFile(['x']), fakeCipher()],
  ])(
    'reports a file %s as unreadable and leaves it unchanged until a person connects again',
    (_name, file, cipher) => {
      const { vault } = toVault(file, cipher)
      const before = file.content
      expect(vault.load()).toMatchObject({ ok: false, error: { code: 'vault-unreadable' } })
      vault.save(account, 'leave')
      expect(file.content).toEqual(before)
      vault.save(account, 'set-aside')
      expect(file.setAsideContents).toEqual([before])
      expect(vault.load().ok).toBe(true)
    },
  )

  const weakly = (machine?: string) => {
    const { file, vault } = toVault(memoryFile(), fakeCipher('weak', machine), true)
    vault.save(account, 'leave')
    return file
  }
  const emptied = { version: 1, storage: null, account: null }
  it.each(['leave', 'set-aside'] as const)(
    'removes a weakly encrypted account from the disk when that is no longer allowed (%s)',
    (unreadable) => {
      const { file, vault } = toVault(weakly(), fakeCipher('weak'), false)
      expect(vault.save(account, unreadable)).toEqual({ ok: true, value: 'memory' })
      expect(file.content).toEqual(emptied)
      expect(file.setAsideContents).toEqual([])
    },
  )

  it('overwrites an unreadable account with weak encryption instead of setting it aside', () => {
    const { file, vault } = toVault(weakly('another-machine'), fakeCipher('weak'), true)
    expect(vault.load().ok).toBe(false)
    expect(vault.save(account, 'set-aside')).toEqual({ ok: true, value: 'weak' })
    expect(file.setAsideContents).toEqual([])
    expect(vault.load()).toMatchObject({ ok: true, value: { account } })
  })

  it.each([
    ['weakly encrypted', weakly(), fakeCipher('weak')],
    ['of another machine', elsewhere(), fakeCipher()],
    ['without its keyring', elsewhere(), fakeCipher('none')],
    ['that is no JSON', memoryFile('not json'), fakeCipher()],
  ])('empties a file %s although it can’t read it', (_name, file, cipher) => {
    const { vault } = toVault(file, cipher)
    expect(vault.load().ok).toBe(false)
    expect(vault.clear().ok).toBe(true)
    expect(file.content).toEqual(emptied)
    expect(file.setAsideContents).toEqual([])
  })

  it('reports a failed write of the file, and that a weakly stored account was not removed', () => {
    const { file, vault } = toVault()
    file.full = true
    expect(vault.save(account, 'leave')).toMatchObject({ ok: false, error: { code: 'settings-not-saved' } })
    const left = toVault(weakly(), fakeCipher('weak'), false)
    left.file.full = true
    const notOff = {
      ok: false,
      error: { code: 'settings-not-saved', message: expect.stringMatching(/taken out/) },
    }
    expect(left.vault.save(account, 'leave')).toMatchObject(notOff)
    expect(left.vault.clear()).toMatchObject(notOff)
  })

  it('encrypts texts for other files', () => {
    const { vault, cipher } = toVault()
    const encrypted = vault.encrypt('https://labels.example/t0ken') ?? ''
    expect(encrypted).not.toContain('t0ken')
    expect(vault.decrypt(encrypted)).toBe('https://labels.example/t0ken')
    expect(vault.decrypt('bm9uc2Vuc2U=')).toBeNull()
    cipher.kind = 'none'
    expect(vault.decrypt(encrypted)).toBeNull()
  })
})
