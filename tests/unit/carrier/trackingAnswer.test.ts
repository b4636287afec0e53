import { describe, expect, it } from 'vitest'
import { readTracking } from '../../../src/main/carrier/trackCodes'

const asked = { host: 'carrier.example', redact: (text: string) => text.replaceAll('s3cret', '***') }
const oldest = {
  itemNumber: 1,
  code: '99',
  description: 'Label',
  location: '',
  dateTime: '2026-11-20 09:00:00',
}
const newest = {
  itemNumber: 0,
  code: '3000',
  description: 'Depot',
  location: 'Utrecht',
  dateTime: '2026-11-21 10:00:00',
}

/** Filler fields that make a flight as large as one of a real service. */
const fillerFields = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`field${index}`, 'x']))

function read(value: unknown, codes: string[], status = 200) {
  const body = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
  return readTracking({ status, location: null, body, receivedAt: new Date() }, asked, codes)
}

describe('readTracking', () => {
  it('assigns 4,000 flights to the 1,000 codes that they mention', () => {
    const codes = Array.from({ length: 1000 }, (_, index) => `3S${index}`)
    const leg = (index: number) => ({ parcel: `3S${index}`, flight: `KL${index}`, ...fillerFields })
    const answer = {
      state: true,
      items: {},
      flightTracking: codes.flatMap((_, index) => [leg(index), leg(index), leg(index), leg(index)]),
    }
    const tracked = read(answer, codes)
    if (!tracked.ok) throw new Error(tracked.error.message)
    const flightsOf7 = Array.from({ length: 4 }, () => ({ flight: 'KL7' }))
    expect(tracked.value[7]).toMatchObject({ code: '3S7', flights: flightsOf7 })
    expect(tracked.value.every(({ flights }) => flights?.length === 4)).toBe(true)
  })

  it('returns at most 200 codes that were not requested', () => {
    const others = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`X${index}`, [newest]]))
    const tracked = read({ state: true, items: { A: [newest], ...others } }, ['A'])
    expect(tracked.ok && tracked.value.map(({ code }) => code).slice(0, 2)).toEqual(['A', 'X0'])
    expect(tracked.ok && tracked.value.length).toBe(201)
  })

  it.each([[{}], [[]]])('finds a code that the service counts, also without events (items %j)', (items) => {
    const answer = { state: true, numberOfItems: 1, notFound: [], items, lastStatus: items }
    expect(read(answer, ['A'])).toMatchObject({ value: [{ code: 'A', found: true, lastStatus: null }] })
    // One of two is found, and nothing says which.
    expect(read(answer, ['A', 'B'])).toMatchObject({ value: [{ found: false }, { found: false }] })
    expect(read({ ...answer, notFound: ['A'] }, ['A'])).toMatchObject({ value: [{ found: false }] })
  })

  it('returns the events of each code, newest first', () => {
    const answer = {
      state: true,
      numberOfItems: 1,
      notFound: ['B'],
      items: { A: [oldest, newest] },
      lastStatus: { A: newest },
      flightTracking: [],
    }
    expect(read(answer, ['B', 'A'])).toEqual({
      ok: true,
      value: [
        { code: 'B', found: false, lastStatus: null, events: [] },
        { code: 'A', found: true, lastStatus: newest, events: [newest, oldest] },
      ],
    })
  })

  it.each([
    [
      'items is an empty list',
      { state: true, items: [], lastStatus: [] },
      { found: false, lastStatus: null },
    ],
    [
      'only lastStatus names the code',
      { state: true, items: [], lastStatus: { A: newest } },
      { found: true, lastStatus: newest },
    ],
    [
      'lastStatus lacks the code',
      { state: true, items: { A: [newest] } },
      { found: true, lastStatus: newest },
    ],
    [
      'the list of the code is empty',
      { state: true, items: { A: [] } },
      { found: true, lastStatus: null, events: [] },
    ],
    [
      'the list of the code is empty and notFound names the code',
      { state: true, items: { A: [] }, notFound: [{ code: 'A' }] },
      { found: false },
    ],
    ['the state is false and notFound names the code', { state: false, notFound: ['A'] }, { found: false }],
    ['state is a text', { state: 'true', items: { A: [newest] } }, { found: true }],
    [
      'events are values of an object',
      { state: true, items: { A: { 1: oldest, 0: newest } } },
      { events: [newest, oldest] },
    ],
    ['lastStatus is a list', { state: true, items: [], lastStatus: { A: [newest] } }, { lastStatus: newest }],
    [
      'numbers are texts',
      { state: true, items: { A: [{ ...newest, itemNumber: '0', code: 3000 }] } },
      { events: [newest] },
    ],
    ['events are nonsense', { state: true, items: { A: [null, 7, 'x'] } }, { found: true, events: [] }],
    [
      'events have no content',
      {
        state: true,
        items: { A: [{}, { itemNumber: 1, code: null, description: ' ' }] },
        lastStatus: { A: null },
      },
      { found: true, lastStatus: null, events: [] },
    ],
    [
      'numberOfItems is 0',
      { state: true, numberOfItems: 0, items: { A: [] }, lastStatus: { A: [] } },
      { found: false },
    ],
    ['notFound is an object', { state: false, notFound: { 0: 'A' } }, { found: false }],
    ['notFound is a text', { state: false, notFound: 'A' }, { found: false }],
    ['everything is null', { state: true, items: null, lastStatus: null, notFound: null }, { found: false }],
    [
      'items are the bare events of the one code',
      { state: true, items: [oldest, newest], lastStatus: [newest] },
      { found: true, lastStatus: newest, events: [newest, oldest] },
    ],
    [
      'the code differs in case and spaces',
      { state: true, items: { ' a': [newest] }, lastStatus: { ' a': newest } },
      { code: 'A', found: true, lastStatus: newest, events: [newest] },
    ],
  ])('reads the answer when %s', (_name, answer, expected) => {
    expect(read(answer, ['A'])).toMatchObject({ ok: true, value: [expected] })
  })

  it('redacts secrets in every text of an event', () => {
    const event = {
      ...newest,
      code: 's3cret',
      description: 'Asked with s3cret',
      location: 's3cret',
      dateTime: 's3cret',
    }
    const tracked = read({ state: true, items: { A: [event] }, lastStatus: { A: event } }, ['A'])
    const shown = { code: '***', description: 'Asked with ***', location: '***', dateTime: '***' }
    expect(tracked).toMatchObject({ ok: true, value: [{ lastStatus: shown, events: [shown] }] })
  })

  it('appends codes that were not requested, even one named __proto__', () => {
    const tracked = read('{"state":true,"items":{"__proto__":[],"BOX-1":[]}}', ['A'])
    expect(tracked.ok && tracked.value.map(({ code }) => code)).toEqual(['A', '__proto__', 'BOX-1'])
  })

  it('does not confuse requested codes that differ only in case', () => {
    const tracked = read({ state: true, items: { AB1: [newest] } }, ['ab1', 'AB1', 'AB 2'])
    expect(tracked.ok && tracked.value.map(({ code, found }) => [code, found])).toEqual([
      ['ab1', false],
      ['AB1', true],
      ['AB 2', false],
    ])
  })

  it('truncates an event’s code to 100 and its description to 2,000 characters', () => {
    const event = { ...newest, code: '9'.repeat(300), description: 'D'.repeat(1_000_000) }
    const tracked = read({ state: true, items: { A: [event] } }, ['A'])
    const [first] = tracked.ok ? tracked.value : []
    expect(first?.lastStatus?.code).toMatch(/^9{99}…$/)
    expect(first?.lastStatus?.description).toMatch(/^D{1999}…$/)
  })

  it('replaces null characters and lone surrogates, which the database cannot store', () => {
    const event = { ...newest, code: '9\u00000', description: 'half \ud800 a 📦' }
    expect(read({ state: true, items: { A: [event] } }, ['A'])).toMatchObject({
      ok: true,
      value: [{ lastStatus: { code: '9\ufffd0', description: 'half \ufffd a 📦' } }],
    })
  })

  it('decodes letters and signs of an answer in Windows-1252', () => {
    const answer = { state: true, items: { A: [{ ...newest, description: 'Café Zoë, Köln: \u0080 5' }] } }
    // Byte 0x80 is a control character in Latin-1 and the euro sign in Windows-1252.
    const body = Buffer.from(JSON.stringify(answer), 'latin1')
    expect(
      readTracking({ status: 200, location: null, body, receivedAt: new Date() }, asked, ['A']),
    ).toMatchObject({ ok: true, value: [{ lastStatus: { description: 'Café Zoë, Köln: € 5' } }] })
  })

  it.each([
    { state: false, notFound: ['A'] },
    { state: false, notFound: { A: 'not known' } },
    { notFound: [{ code: 'a' }] },
  ])('reads an answer with HTTP 404 and %j as «not found»', (answer) => {
    expect(read(answer, ['A'], 404)).toMatchObject({
      ok: true,
      value: [{ code: 'A', found: false }],
    })
  })

  it.each([200, 404])(
    'reads a failure with HTTP %i that names only some of several codes as missing as a failure of all, and one that answers for each as an answer',
    (status) => {
      const failure = { state: false, message: 'carrier X is not available', notFound: ['A'] }
      for (const items of [{}, { B: [newest] }]) {
        expect(read({ ...failure, items }, ['A', 'B', 'C'], status)).toMatchObject({
          ok: false,
          error: { code: 'service-refused', details: { serviceSays: 'carrier X is not available' } },
        })
      }
      const answer = { ...failure, notFound: ['A', 'c'], items: { b: [newest] } }
      expect(read(answer, ['A', 'B', 'C'], status)).toMatchObject({
        ok: true,
        value: [
          { code: 'A', found: false },
          { code: 'B', found: true },
          { code: 'C', found: false },
        ],
      })
    },
  )

  it.each([
    ['7', '7'],
    ['Sat, 21 Nov 2026 10:00:30 GMT', '30'],
    ['Sat, 21 Nov 2026 09:00:00 GMT', undefined],
    ['soon', undefined],
  ])('reads Retry-After %j as %s seconds', (retryAfter, seconds) => {
    const receivedAt = new Date('2026-11-21T10:00:00Z')
    const answer = { status: 503, location: null, body: Buffer.from(''), receivedAt, retryAfter }
    const tracked = readTracking(answer, asked, ['A'])
    expect(tracked.ok ? undefined : tracked.error.details?.retryAfterSeconds).toBe(seconds)
  })

  it.each([
    [{ state: true, items: [oldest], lastStatus: {} }, 200, 'service-answer-not-understood'],
    [{ state: false, message: 'busy' }, 200, 'service-refused'],
    [{ state: false, message: 'busy', notFound: 0 }, 200, 'service-refused'],
    [{ state: false, message: 'busy', notFound: 'none' }, 404, 'service-refused'],
    [{ items: {} }, 200, 'service-answer-not-understood'],
    ['null', 200, 'service-answer-not-understood'],
    ['<html>', 200, 'service-answer-not-understood'],
    ['', 401, 'key-refused'],
    ['', 403, 'key-refused'],
    ['', 404, 'service-refused'],
    ['', 302, 'service-moved'],
    ['', 429, 'service-busy'],
    ['', 503, 'service-failed'],
  ])('fails for the answer %j with HTTP %i as %s', (answer, status, code) => {
    expect(read(answer, ['A', 'B'], status)).toMatchObject({ ok: false, error: { code } })
  })
})
