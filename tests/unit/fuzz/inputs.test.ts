import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseProvisioning } from '../../../src/main/settings/provisioning'
import { upgradeSettings } from '../../../src/main/settings/settingsFile'
import { fromGuardedCsvText } from '../../../src/main/tables/cells'
import { readTable } from '../../../src/main/tables/readTable'
import { toCsvFile, writeTable } from '../../../src/main/tables/writeTable'
import { methods } from '../../../src/shared/bridge'
import { defaultSettings, settingsSchema } from '../../../src/shared/settings'
import { modelRuns } from '../../support/modelRuns'

/** A secret that must not appear in any message. */
const canary = 'c4n4ry-p4ssw0rd'

const anything = fc.jsonValue({ maxDepth: 4 })

describe('a provisioning file', () => {
  it('is accepted or refused without an exception and without its secrets in an error', () => {
    const secret = fc.constantFrom<unknown>(canary, [canary], { value: canary })
    const file = fc.record(
      {
        account: fc.oneof(
          anything,
          fc.record(
            { baseUrl: anything, user: secret, password: secret, more: secret },
            { requiredKeys: [] },
          ),
        ),
        fleet: fc.oneof(
          anything,
          fc.record({ host: anything, password: secret, port: anything }, { requiredKeys: [] }),
        ),
        people: fc.oneof(anything, fc.record({ pin: secret, operators: anything }, { requiredKeys: [] })),
        ...{
          printers: anything,
          routing: anything,
          carriers: anything,
          hotFolder: anything,
          scanner: anything,
        },
        ...{ shipmentDefaults: anything, language: anything, unheardOf: anything },
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(file, (content) => {
        const parsed = parseProvisioning(JSON.stringify(content), {}, defaultSettings)
        if (!parsed.ok) expect(parsed.error.join('\n')).not.toContain(canary)
        else
          expect(
            settingsSchema.safeParse({ ...defaultSettings, ...parsed.value.settingsChange }).success,
          ).toBe(true)
      }),
      { numRuns: modelRuns },
    )
  })

  it('with random text is accepted or refused with at least one error', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parsed = parseProvisioning(text, {}, defaultSettings)
        expect(parsed.ok || parsed.error.length > 0).toBe(true)
      }),
      { numRuns: modelRuns },
    )
  })
})

describe('settings of any older version', () => {
  it('are upgraded without an exception', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...Object.keys(defaultSettings), 'version'), anything),
        (stored) => {
          upgradeSettings(stored)
        },
      ),
      { numRuns: modelRuns },
    )
  })
})

describe('the input schemas of the bridge', () => {
  it.each(Object.entries(methods))(
    'check any input of the method %s without an exception',
    (_name, { input }) => {
      fc.assert(
        fc.property(anything, (value) => {
          input.safeParse(value)
        }),
        { numRuns: Math.ceil(modelRuns / 10) },
      )
    },
  )
})

describe('a table', () => {
  const cell = fc.oneof(
    fc.string(),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('=1+1', "'=A1", '+31 20', '-', '"', ';', '\n', '0012', 'a; =1', "b,'=1", ';@x', 'c\n"-1'),
  )
  const rows = fc.array(
    fc.tuple(
      fc.string({ minLength: 1 }).map((text) => `x${text}`),
      cell,
      cell,
    ),
    { minLength: 2, maxLength: 8 },
  )

  it('written as CSV is read back unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom<',' | ';'>(',', ';'), async (written, delimiter) => {
        const header = ['One', 'Two', 'Three']
        const table = await readTable(Buffer.from(toCsvFile([header, ...written], delimiter)))
        if (!table.ok) throw new Error(table.error.code)
        expect(table.value.rows.map((row) => row.map(fromGuardedCsvText))).toEqual([header, ...written])
      }),
      { numRuns: modelRuns },
    )
  })

  it('of random bytes is read or refused without an exception', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        await readTable(bytes)
      }),
      { numRuns: modelRuns },
    )
  })

  it('in a workbook with damaged bytes is read or refused without an exception', async () => {
    const header = ['Reference', 'Name', 'Weight']
    const workbook = await writeTable([header, ['A-1', 'Jansen', 1.25], ['A-2', 'Smit', 2]], 'xlsx', {
      sheet: 'Orders',
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        async (changes) => {
          const damaged = Buffer.from(workbook)
          for (const [at, byte] of changes) damaged[at % damaged.length] = byte
          await readTable(damaged)
        },
      ),
      { numRuns: modelRuns },
    )
  })
})
