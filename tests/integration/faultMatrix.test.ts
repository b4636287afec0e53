import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PDFDocument } from 'pdf-lib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCarrierGateway, createServiceHealth } from '../../src/main/carrier/gateway'
import type { CarrierConnection, CarrierOutcome } from '../../src/main/carrier/service'
import { createEventBus } from '../../src/main/lib/eventBus'
import { manifestFields } from '../../src/shared/consignments'
import { ok, type Result } from '../../src/shared/result'
import { defaultSettings } from '../../src/shared/settings'
import { demoCredentials } from '../../src/simulator/account'
import type { Fault } from '../../src/simulator/faults'
import type { Operation } from '../../src/simulator/route'
import { type Simulator, startSimulator } from '../../src/simulator/simulator'
import { aDraft } from '../support/drafts'
import { noRedactor } from '../support/noRedactor'
import { silentLog } from '../support/silentLog'
import { trackingOptions } from './carrier/fixtures'
import { bench, request } from './shipments/shippingBench'

/** The result of one request: its outcome, the reported error, and whether the shipment exists at the service. */
interface Ending {
  outcome: string
  says: string
  atService: string
}

const positions = ['first', 'middle', 'last'] as const

const answerFaults: Fault[] = [
  { kind: 'refused' },
  ...[400, 401, 408, 422, 429, 500, 503].map((status): Fault => ({ kind: 'status', status })),
  { kind: 'status', status: 500, created: true },
  { kind: 'htmlError' },
  { kind: 'htmlError', created: true },
  { kind: 'redirect' },
  { kind: 'slow', ms: 40 },
  { kind: 'hangBeforeReading' },
  { kind: 'resetBeforeReading' },
  { kind: 'hangAfterReading' },
  { kind: 'resetAfterReading' },
  { kind: 'cutOff' },
  { kind: 'notJson' },
  { kind: 'nullBody' },
  { kind: 'emptyBody' },
  { kind: 'wrongTypes' },
  { kind: 'extraFields' },
]
const labelFaults: Fault[] = [
  { kind: 'badBase64' },
  { kind: 'wrappedBase64' },
  { kind: 'notPdf' },
  { kind: 'upperCaseLabelType' },
  { kind: 'emptyLabels' },
  { kind: 'missingLabels' },
  { kind: 'hugeLabel', bytes: 1024 * 1024 },
  { kind: 'zplLabel' },
  { kind: 'otherPage', widthMm: 210, heightMm: 297 },
]
const trackingFaults: Fault[] = [
  { kind: 'itemsAsList' },
  { kind: 'noLastStatus' },
  { kind: 'shuffledEvents' },
  { kind: 'manyEvents', count: 500 },
  { kind: 'flights' },
]

/** One kind of request and its possible faults. */
interface Row {
  title: string
  operation: Operation
  faults: Fault[]
  /** Prepares the requests. Returns the function that sends one. */
  prepare(): Promise<() => Promise<Ending>>
}

const apiKey = 'k3y-0f-the-simulator'
const answerTimeoutMs = { usual: 20_000, ofHanging: 300 }

let simulator: Simulator
let gateway: ReturnType<typeof createCarrierGateway>
let timeoutMs = answerTimeoutMs.usual

beforeEach(async () => {
  simulator = await startSimulator({ apiKey })
  const baseUrl = new URL(simulator.baseUrl)
  const connection: CarrierConnection = { baseUrl, apiKey }
  gateway = createCarrierGateway({
    session: {
      baseUrl: () => baseUrl,
      key: async () => ok(connection),
      call: (operation) => operation(connection),
      renewAfterRefusal: async () => undefined,
    },
    health: createServiceHealth(() => new Date(), createEventBus()),
    settings: {
      current: () => ({
        ...defaultSettings,
        network: { connectTimeoutMs: 5000, answerTimeoutMs: timeoutMs },
      }),
    },
    redactor: noRedactor,
    log: silentLog,
  })
})
afterEach(async () => {
  await gateway.close()
  await simulator.close()
})

/** The result of a request with an effect that the simulator's ledger does not record. */
function toEnding(outcome: CarrierOutcome<unknown> | Result<unknown>): Ending {
  if (outcome.ok) return { outcome: 'done', says: '', atService: '' }
  const isUnknown = 'kind' in outcome && outcome.kind === 'unknown'
  return { outcome: isUnknown ? 'unknown' : 'not done', says: outcome.error.code, atService: '' }
}

/** Sends creations through the complete shipping code: journal, label files and duplicate guard. */
async function creationRows(delivery: 'in-answer' | 'by-url') {
  const carrier = { open: () => gateway.open(), fetchLabel: (url: string) => gateway.fetchLabel(url) }
  const { shipping } = await bench({ carrier, delivery })
  return async (): Promise<Ending> => {
    const reference = `ORDER-${randomUUID()}`
    const created = await shipping.create(request({ draft: aDraft({ reference }) }))
    if (!created.ok) throw new Error(`no request was made: ${created.error.code}`)
    const { state, error, labels, jobs } = created.value
    const received = simulator.ledger.listByReference(reference)
    expect(received.length, 'requests for one creation').toBeLessThanOrEqual(1)
    const isMade = received.some((entry) => entry.created)
    // A refused shipment, which may be sent again, must not exist at the service; a created one must.
    if (state === 'refused') expect(isMade).toBe(false)
    if (state === 'created') expect(isMade).toBe(true)
    const problems = labels.flatMap(({ problem }) => (problem === null ? [] : [`label ${problem}`]))
    // Otherwise the label would be fetched again automatically and meet the next fault.
    if (problems.length > 0) await shipping.closeLabelProblems(created.value.id, 'seen')
    const says: string[] = [...new Set<string>([...(error === null ? [] : [error.code]), ...problems])]
    if (jobs.length > 0)
      says.push(jobs.length === 1 ? 'the label is printed' : `${jobs.length} labels are printed`)
    return { outcome: state, says: says.join(', '), atService: isMade ? 'exists' : 'nothing' }
  }
}

const manifestLine = Object.fromEntries(manifestFields.map((field) => [field, '1']))
const airWaybillNumber = '074-12345675'

function uploadManifest() {
  const line = {
    ...manifestLine,
    transportType: 'AWB',
    transportNumber: airWaybillNumber,
    country: 'NL',
    sellerCountry: 'CN',
    parcelId: 'P-1',
  }
  const body = Buffer.from(JSON.stringify([line]))
  return opened((carrier) => carrier.uploadManifest({ body, lock: false, onSent: () => undefined }))
}

async function opened<T>(
  use: (carrier: Extract<Awaited<ReturnType<typeof gateway.open>>, { ok: true }>['value']) => Promise<T>,
) {
  const carrier = await gateway.open()
  if (!carrier.ok) throw new Error(carrier.error.message)
  return use(carrier.value)
}

const rows: Row[] = [
  {
    title: 'Sign in',
    operation: 'auth',
    faults: answerFaults,
    prepare: async () => async () =>
      toEnding(
        await gateway.authenticate({
          baseUrl: new URL(simulator.baseUrl),
          user: demoCredentials.user,
          password: demoCredentials.password,
        }),
      ),
  },
  {
    title: 'Create a shipment, the label in the answer',
    operation: 'shipment',
    faults: [...answerFaults, ...labelFaults],
    prepare: () => creationRows('in-answer'),
  },
  {
    title: 'Create a shipment, the label by URL',
    operation: 'shipment',
    faults: [...answerFaults, { kind: 'emptyLabels' }, { kind: 'missingLabels' }, { kind: 'zplLabel' }],
    prepare: () => creationRows('by-url'),
  },
  {
    title: 'Fetch the label of a created shipment by its URL',
    operation: 'label',
    faults: [
      ...answerFaults.filter((fault) => !('created' in fault)),
      { kind: 'notPdf' },
      { kind: 'hugeLabel', bytes: 1024 * 1024 },
    ],
    prepare: () => creationRows('by-url'),
  },
  {
    title: 'Track one code',
    operation: 'trackCode',
    faults: [...answerFaults, ...trackingFaults],
    prepare: async () => async () => toEnding(await gateway.trackCode('CODE', trackingOptions)),
  },
  {
    title: 'Track codes in bulk',
    operation: 'trackBulk',
    faults: [...answerFaults, ...trackingFaults],
    prepare: async () => async () => toEnding(await gateway.trackBulk(['CODE', 'OTHER'], trackingOptions)),
  },
  {
    title: 'Upload a manifest',
    operation: 'manifest',
    faults: answerFaults,
    prepare: async () => async () => {
      const uploaded = await uploadManifest()
      const isDoubtful = uploaded.ok && uploaded.value.speaksOfErrors
      return {
        ...toEnding(uploaded),
        ...(isDoubtful && { says: 'the answer speaks of errors and is shown' }),
      }
    },
  },
  {
    title: 'Send an air waybill pre-alert',
    operation: 'preAlert',
    faults: answerFaults,
    async prepare() {
      await uploadManifest()
      const document = await PDFDocument.create()
      document.addPage()
      const pdf = await document.save()
      const alert = { airWaybillNumber, estimatedTimeOfArrival: '2026-12-24', grossWeight: 1.1 }
      return async () => toEnding(await opened((carrier) => carrier.sendPreAlert(alert, pdf)))
    },
  },
]

/**
 * Sends five requests in a row with the fault at the first, the middle and the last one. Returns the results of those three,
 * and expects that the two requests in between succeed.
 */
async function strike(operation: Operation, send: () => Promise<Ending>, fault: Fault): Promise<Ending[]> {
  const struck: Ending[] = []
  for (const position of positions.keys()) {
    if (position > 0) {
      const { outcome } = await send()
      expect(['done', 'created'], `a request beside one that met ${fault.kind}`).toContain(outcome)
    }
    simulator.faults.add({ operation, fault, times: 1 })
    timeoutMs = fault.kind.startsWith('hang') ? answerTimeoutMs.ofHanging : answerTimeoutMs.usual
    struck.push(await send())
    timeoutMs = answerTimeoutMs.usual
    simulator.faults.clear()
  }
  return struck
}

function faultName({ kind, ...rest }: Fault): string {
  const more = Object.entries(rest).map(([name, value]) =>
    name === 'created' ? 'after its work' : String(value),
  )
  return [`\`${kind}\``, ...more].join(' ')
}

/** The table rows of each section in docs/reliability.md. */
const sections = new Map<string, string>()

const headings = {
  creation: ['| fault | outcome | said | at the service |', '|---|---|---|---|'],
  other: ['| fault | outcome | said |', '|---|---|---|'],
}

const introduction = `## Outcome of each request under each fault

\`npm run prove:faults\` writes this part from a run with the built-in service and the app's own journal, label files and HTTP client. Each fault
strikes the first, a middle and the last of five requests in a row. A line without a position applies to all three. The requests
between them always end as usual.

- *created*, *refused* and *unknown* are the states of a shipment. A refused shipment does not exist at the service and may be sent again. An
  unknown one is locked until a person resolves it.
- The column *said* has the code of the error that the operator sees (\`src/shared/errors.ts\` has the sentences), or what happens to the label.
- The column *at the service* has the service's own record.
- A fault *after its work* strikes when the service has done what it was asked to do.`

describe.each(rows)('$title', { retry: 0 }, (row) => {
  it(`«${row.title}» yields an outcome for every fault, and the requests in between succeed`, async () => {
    const send = await row.prepare()
    const lines: string[] = []
    for (const fault of row.faults) {
      const endings = await strike(row.operation, send, fault)
      const [first] = endings
      const isSame = endings.every((ending) => JSON.stringify(ending) === JSON.stringify(first))
      for (const [at, { outcome, says, atService }] of (isSame ? endings.slice(0, 1) : endings).entries()) {
        const name = isSame ? faultName(fault) : `${faultName(fault)}, ${positions[at]}`
        lines.push(`| ${[name, outcome, says, ...(atService === '' ? [] : [atService])].join(' | ')} |`)
      }
    }
    sections.set(row.title, lines.join('\n'))
  })
})

const page = join(import.meta.dirname, '../../docs/reliability.md')

it('docs/reliability.md contains the outcomes of this run', async () => {
  const tables = rows.map(({ title, operation }) =>
    [
      `### ${title}`,
      '',
      ...headings[operation === 'shipment' || operation === 'label' ? 'creation' : 'other'],
      sections.get(title),
    ].join('\n'),
  )
  const [before = ''] = (await readFile(page, 'utf8')).split('## Outcome of each request')
  await expect(before + [introduction, ...tables].join('\n\n').concat('\n')).toMatchFileSnapshot(page)
})
