import { randomBytes } from 'node:crypto'
import { dateTimeText } from '../clock'
import type { JsonObject } from '../json'

/** The simulator's account when none is given: what demo mode signs in with. No real service knows it. */
export const DEMO_ACCOUNT = {
  user: 'demo-station',
  password: 'demo-password',
  apiKey: 'd3m0f00d5ca1ab1e0ddba11ca55e77e5',
}

/** The name that `GET /auth` gives, also printed as the sender on labels. */
export const DEMO_SENDER = ['Packbench Demo Warehouse', 'Kade 12', '3011 AB Rotterdam', 'Netherlands']

/** One account of the service: its credentials and the API key that it has at the moment. */
export class Account {
  readonly #user: string
  readonly #password: string
  #apiKey: string
  #expired = false

  constructor(user: string, password: string, apiKey: string) {
    this.#user = user
    this.#password = password
    this.#apiKey = apiKey
  }

  /** True while the service takes this key. */
  accepts(apiKey: string): boolean {
    return !this.#expired && apiKey === this.#apiKey
  }

  /** Ends the key of the moment and returns it; the next successful `GET /auth` hands out a new one. */
  expireKey(): string {
    this.#expired = true
    return this.#apiKey
  }

  /** Answers `GET /auth` (spec, API key response). Wrong credentials: `state` false and the reason in `Errors`. */
  signIn(user: string | undefined, password: string | undefined, at: Date): JsonObject {
    const known = user === this.#user && password === this.#password
    if (known && this.#expired) {
      this.#apiKey = randomBytes(16).toString('hex')
      this.#expired = false
    }
    return {
      state: known ? 'true' : 'false',
      message: known ? 'API key created' : '',
      Errors: known ? '' : 'User name or password is not correct',
      accessByHeader: 'Y',
      id: known ? '1042' : '',
      id2: known ? '7' : '',
      name: known ? 'Packbench Demo Warehouse' : '',
      apikey: known ? this.#apiKey : '',
      DatumTijd: dateTimeText(at),
    }
  }
}
