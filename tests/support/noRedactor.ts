import type { CarrierGatewayDeps } from '../../src/main/carrier/gateway'

/** Redacts nothing. */
export const noRedactor: CarrierGatewayDeps['redactor'] = {
  addPassing: () => undefined,
  redact: (text) => text,
}
