import type { Cipher } from '../../../src/main/account/vault'
import type { JsonFile } from '../../../src/main/lib/jsonText'

/** A JSON file in memory that records the contents that were set aside. */
export interface MemoryFile extends JsonFile {
  content: unknown
  setAsideContents: unknown[]
  writes: number
  /** Makes every write fail, as a full disk does. */
  full: boolean
}

export function memoryFile(content?: unknown): MemoryFile {
  const file: MemoryFile = {
    path: '/data/vault.json',
    content,
    setAsideContents: [],
    writes: 0,
    full: false,
    read() {
      if (file.content === 'not json') throw new SyntaxError('not json')
      return file.content
    },
    write(value) {
      if (file.full) throw new Error('ENOSPC: no space left on device')
      file.writes += 1
      file.content = JSON.parse(JSON.stringify(value))
    },
    setAside() {
      file.setAsideContents.push(file.content)
      file.content = undefined
      return '/data/vault.unreadable.json'
    },
  }
  return file
}

/** Stands in for the operating system's encryption: only the machine that encrypted a text can decrypt it. */
export function fakeCipher(available: ReturnType<Cipher['available']> = 'keyring', machine = 'this-machine') {
  const mask = (data: Buffer) => Buffer.from(data.map((byte) => byte ^ 0x5a))
  return {
    kind: available,
    available() {
      return this.kind
    },
    async checkUnlocked() {
      return this.kind !== 'locked'
    },
    async unlock() {
      return this.kind !== 'locked'
    },
    encrypt: (text: string) => mask(Buffer.from(`${machine}:${text}`)),
    decrypt(data: Buffer) {
      const text = mask(data).toString()
      if (!text.startsWith(`${machine}:`)) throw new Error('wrong machine')
      return text.slice(machine.length + 1)
    },
  }
}
