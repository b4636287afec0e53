import { randomBytes } from 'node:crypto'
import { dateTimeText, type JsonObject } from './wire'

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

/** A carrier option of the demo account. */
export interface CarrierOption {
  carrierId: number
  carrierOptionId: number
  carrierName: string
  serviceName: string
  /** Limits as the service words them (spec, Limits): decimal text, units not stated. */
  limits: JsonObject
}

function limits(length: number, width: number, height: number, weight: number): JsonObject {
  const decimal = (value: number): string => value.toFixed(3)
  return {
    MinL: decimal(length / 10),
    MaxL: decimal(length),
    DBMinB: decimal(width / 10),
    DBMaxB: decimal(width),
    DBMinH: decimal(height / 20),
    DBMaxH: decimal(height),
    DBMinGewicht: decimal(0.01),
    DBMaxGewicht: decimal(weight),
    DBMaxVolume: String(Math.round(length * width * height)),
    DBMaxOmtrek: String(Math.round(length + 2 * (width + height))),
  }
}

const STANDARD: CarrierOption = {
  carrierId: 1,
  carrierOptionId: 11,
  carrierName: 'POLDER POST',
  serviceName: 'Parcel Standard',
  limits: limits(176, 78, 58, 31.5),
}

/** The carrier options of the demo account: what demo mode offers to choose from. */
export const DEMO_CARRIER_OPTIONS: readonly CarrierOption[] = [
  STANDARD,
  { ...STANDARD, carrierOptionId: 12, serviceName: 'Letterbox Parcel', limits: limits(38, 26.5, 3.2, 2) },
  {
    carrierId: 2,
    carrierOptionId: 21,
    carrierName: 'NORDLINE',
    serviceName: 'Express International',
    limits: limits(120, 80, 80, 70),
  },
]

/** The option with these ids. Ids are account-specific: unknown ones are served like the standard parcel. */
export function carrierOption(carrierId: number, carrierOptionId: number): CarrierOption {
  const option = DEMO_CARRIER_OPTIONS.find(
    (candidate) => candidate.carrierId === carrierId && candidate.carrierOptionId === carrierOptionId,
  )
  return option ?? { ...STANDARD, carrierId, carrierOptionId }
}
