/** Encryption that the operating system offers. */
export interface Cipher {
  /** `keyring`: a real one; `weak`: a fallback that anyone on the machine can undo; `locked`: a real one, not now. */
  available(): 'keyring' | 'weak' | 'locked' | 'none'
  /** Lets a locked keyring ask for its password; false when it is locked still. */
  unlock(): Promise<boolean>
  encrypt(text: string): Buffer
  /** Throws when the data were not encrypted by this user on this machine. */
  decrypt(data: Buffer): string
}
