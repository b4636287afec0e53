import { randomBytes } from 'node:crypto'
import { dateTimeText, type JsonObject } from './wire'

/** The simulator's default account, which demo mode uses. It is not valid at a real service. */
export const demoCredentials = {
  user: 'demo-station',
  password: 'demo-password',
  apiKey: 'd3m0f00d5ca1ab1e0ddba11ca55e77e5',
}

/** The sender printed on labels; its first line is the name that `GET /auth` returns. */
export const demoSender = ['Packbench Demo Warehouse', 'Kade 12', '3011 AB Rotterdam', 'Netherlands']

/** An account of the service: its credentials and current API key. */
export class Account {
  private expired = false

  constructor(
    private readonly user: string,
    private readonly password: string,
    private apiKey: string,
  ) {}

  /** Whether this key is currently valid. */
  accepts(apiKey: string): boolean {
    return !this.expired && apiKey === this.apiKey
  }

  /** Expires the current key and returns it; the next successful `GET /auth` issues a new one. */
  expireKey(): string {
    this.expired = true
    return this.apiKey
  }

  /** Answers `GET /auth` (spec, API key response). Wrong credentials: `state` false and the reason in `Errors`. */
  signIn(user: string | undefined, password: string | undefined, at: Date): JsonObject {
    const known = user === this.user && password === this.password
    if (known && this.expired) {
      this.apiKey = randomBytes(16).toString('hex')
      this.expired = false
    }
    return {
      state: known ? 'true' : 'false',
      message: known ? 'API key created' : '',
      Errors: known ? '' : 'User name or password is not correct',
      accessByHeader: 'Y',
      id: known ? '1042' : '',
      id2: known ? '7' : '',
      name: known ? 'Packbench Demo Warehouse' : '',
      apikey: known ? this.apiKey : '',
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
  /** Limits in wire format (spec, Limits): decimal text, units not stated. */
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

const standardOption: CarrierOption = {
  carrierId: 1,
  carrierOptionId: 11,
  carrierName: 'POLDER POST',
  serviceName: 'Parcel Standard',
  limits: limits(176, 78, 58, 31.5),
}

/** The carrier options of the demo account. */
export const demoCarrierOptions: readonly CarrierOption[] = [
  standardOption,
  {
    ...standardOption,
    carrierOptionId: 12,
    serviceName: 'Letterbox Parcel',
    limits: limits(38, 26.5, 3.2, 2),
  },
  {
    carrierId: 2,
    carrierOptionId: 21,
    carrierName: 'NORDLINE',
    serviceName: 'Express International',
    limits: limits(120, 80, 80, 70),
  },
]

/** The option with these ids. Ids are account-specific: unknown ones are served like the standard parcel. */
export function findCarrierOption(carrierId: number, carrierOptionId: number): CarrierOption {
  const option = demoCarrierOptions.find(
    (candidate) => candidate.carrierId === carrierId && candidate.carrierOptionId === carrierOptionId,
  )
  return option ?? { ...standardOption, carrierId, carrierOptionId }
}
