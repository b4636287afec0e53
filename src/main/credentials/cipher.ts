/** Encryption that the operating system offers. */
export interface Cipher {
  /** `keyring`: a real one; `weak`: a fallback that anyone on the machine can undo; `none`. */
  available(): 'keyring' | 'weak' | 'none'
  encrypt(text: string): Buffer
  /** Throws when the data were not encrypted by this user on this machine. */
  decrypt(data: Buffer): string
}
