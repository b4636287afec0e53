import { type Answer, htmlAnswer, jsonAnswer } from '../http/answer'
import type { Route } from '../http/route'
import type { JsonObject } from '../json'
import { refusedShipment } from '../service/shipmentAnswers'
import type { Fault } from './fault'

const ERROR_PAGE = `<!doctype html>
<html><head><title>Bad Gateway</title></head>
<body><center><h1>The server is temporarily unable to service your request</h1></center><hr></body></html>
`

/** A refusal of each operation: failure bodies are not shown, the fields to check are (spec, Errors). */
function refusal(operation: Route['operation'], direct: boolean, message: string): Answer {
  const refusals: Partial<Record<Route['operation'], JsonObject>> = {
    shipment: refusedShipment(direct, message),
    trackOne: { state: false, message, notFound: [] },
    trackMany: { state: false, message, notFound: [] },
    preAlert: { ok: false, message },
  }
  if (operation === 'label') return jsonAnswer({ state: 'false', message, Errors: message }, 403)
  return jsonAnswer(refusals[operation] ?? { state: 'false', message: '', Errors: message })
}

/**
 * The answer that a fault gives in place of the service's own; `undefined` for faults that let the service answer.
 * @param direct whether a shipment creation asked for the label (DO=Y)
 * @param origin scheme, host and port of the simulator
 */
export function toFaultAnswer(
  fault: Fault,
  operation: Route['operation'],
  direct: boolean,
  origin: string,
): Answer | undefined {
  switch (fault.kind) {
    case 'refused':
      return refusal(operation, direct, fault.message ?? 'Refused by the service')
    case 'status':
      return jsonAnswer(fault.body ?? { state: 'false', Errors: `Error ${fault.status}` }, fault.status)
    case 'htmlError':
      return htmlAnswer(ERROR_PAGE, fault.status ?? 502)
    case 'redirect':
      return htmlAnswer('', 302, { Location: fault.location ?? `${origin}/redirected` })
    default:
      return undefined
  }
}
