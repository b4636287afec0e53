import { constants } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answer, deliver, jsonAnswer } from './answer'
import { checkRequest } from './checker'
import { damage, labelStyle, toFaultAnswer } from './damage'
import { blocksService, type Fault, type FaultPlan, findDemoFault } from './faults'
import type { Ledger, RecordedRequest, RequestLog } from './records'
import { findRoute, type Route } from './route'
import type { Service, ServiceRequest } from './service'
import { readShipmentInput } from './shipmentStore'
import { parseJson } from './wire'

/** The components that handle a simulator's requests. */
interface SimulatorDeps {
  service: Service
  ledger: Ledger
  log: RequestLog
  faults: FaultPlan
  now: () => Date
  /** Scheme, host and port of the simulator. */
  origin: string
}

function pairs(rawHeaders: readonly string[]): Array<readonly [name: string, value: string]> {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
  )
}

function toRecordedRequest(request: IncomingMessage, route: Route, deps: SimulatorDeps): RecordedRequest {
  const [path = '', query = ''] = splitUrl(request.url ?? '')
  return {
    at: deps.now(),
    operation: route.operation,
    method: request.method ?? '',
    path,
    query,
    headers: pairs(request.rawHeaders),
    body: '',
    whole: false,
    deviations: [],
  }
}

function splitUrl(url: string): [path: string, query: string] {
  const mark = url.indexOf('?')
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)]
}

function toReference(route: Route, body: string, service: Service): string | undefined {
  if (route.operation === 'shipment') return readShipmentInput(parseJson(body)).reference
  if (route.operation === 'label') return service.shipments.findByLabelToken(route.token)?.input.reference
  return undefined
}

function chooseFault(route: Route, reference: string | undefined, faults: FaultPlan): Fault | undefined {
  const planned = faults.takeAfterReading(route.operation, reference)
  if (planned !== undefined || route.operation !== 'shipment') return planned
  return findDemoFault(reference ?? '')
}

async function processRequest(
  request: ServiceRequest,
  fault: Fault | undefined,
  deps: SimulatorDeps,
): Promise<Answer> {
  const { route } = request
  const direct = request.query.get('DO') === 'Y'
  const instead = fault && toFaultAnswer(fault, route.operation, direct, request.origin)
  const result = fault !== undefined && blocksService(fault) ? undefined : await deps.service.answer(request)
  if (route.operation === 'shipment') {
    const outcome = result?.creation?.outcome ?? (fault?.kind === 'refused' ? 'refused' : 'failed')
    deps.ledger.add({
      at: deps.now(),
      reference: toReference(route, request.body, deps.service) ?? '',
      outcome,
      created: outcome === 'created',
      barcodes: result?.creation?.barcodes ?? [],
      ...(fault === undefined ? {} : { fault: fault.kind }),
    })
  }
  const answer = instead ?? result?.answer
  if (answer === undefined) throw new Error('The fault blocked the service but has no answer')
  return fault === undefined ? answer : damage(answer, fault)
}

function applyFaultBeforeReading(request: IncomingMessage, fault: Fault): void {
  // A hanging request stays unread and unanswered, with its connection open.
  if (fault.kind === 'resetBeforeReading') request.socket.resetAndDestroy()
}

/** Handles one request from arrival to answer. */
export async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  deps: SimulatorDeps,
): Promise<void> {
  const arrivedAt = performance.now()
  const route = findRoute(request.method ?? '', splitUrl(request.url ?? '')[0])
  const arrived = toRecordedRequest(request, route, deps)
  const early = deps.faults.takeBeforeReading(route.operation)
  if (early !== undefined) {
    deps.log.add(arrived)
    applyFaultBeforeReading(request, early)
    return
  }
  const reading = await readBody(request)
  if (reading.kind === 'tooLarge') {
    deps.log.add(arrived)
    response.setHeader('Connection', 'close')
    deliver(
      response,
      jsonAnswer({ state: 'false', Errors: 'The body is too large' }, 413),
      undefined,
      arrivedAt,
    )
    return
  }
  if (reading.kind === 'broken') {
    deps.log.add({ ...arrived, body: reading.text })
    return
  }
  const query = new URLSearchParams(arrived.query)
  const body = reading.text
  const { headers } = arrived
  const deviations = checkRequest({ operation: route.operation, query, headers, body })
  deps.log.add({ ...arrived, body, whole: true, deviations })
  const fault = chooseFault(route, toReference(route, body, deps.service), deps.faults)
  const style = labelStyle(fault)
  const answer = await processRequest(
    { route, query, headers, body, deviations, style, origin: deps.origin },
    fault,
    deps,
  )
  deliver(response, answer, fault, arrivedAt)
}

/** A longer body may not fit in one text. The spec states no limit. */
const maxBodyBytes = constants.MAX_STRING_LENGTH

/** The result of reading a body: `text` is complete, or what had arrived when the client disconnected. */
type BodyReading = { kind: 'whole'; text: string } | { kind: 'broken'; text: string } | { kind: 'tooLarge' }

/** Reads a request's body as UTF-8. Never rejects. */
function readBody(request: IncomingMessage): Promise<BodyReading> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const text = (): string => Buffer.concat(chunks).toString('utf8')
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBodyBytes) {
        request.pause()
        resolve({ kind: 'tooLarge' })
        return
      }
      chunks.push(chunk)
    })
    request.on('end', () => resolve({ kind: 'whole', text: text() }))
    request.on('error', () => resolve({ kind: 'broken', text: text() }))
    request.on('close', () => resolve({ kind: 'broken', text: text() }))
  })
}
