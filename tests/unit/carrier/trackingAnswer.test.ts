import { describe, expect, it } from 'vitest'
import { readTracking } from '../../../src/main/carrier/trackingAnswer'

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

function read(value: unknown, codes: string[], status = 200) {
  const body = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
  return readTracking({ status, location: null, body, receivedAt: new Date() }, asked, codes)
}

describe('a tracking response', () => {
  it('gives the events of each code, newest first', () => {
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
      'only lastStatus names it',
      { state: true, items: [], lastStatus: { A: newest } },
      { found: true, lastStatus: newest },
    ],
    ['lastStatus lacks it', { state: true, items: { A: [newest] } }, { found: true, lastStatus: newest }],
    ['its list is empty', { state: true, items: { A: [] } }, { found: true, lastStatus: null, events: [] }],
    [
      'its list is empty and it is not found',
      { state: true, items: { A: [] }, notFound: [{ code: 'A' }] },
      { found: false },
    ],
    ['it is not found by a failure', { state: false, notFound: ['A'] }, { found: false }],
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
      'events are bare',
      { state: true, items: { A: [{}] } },
      { events: [{ itemNumber: 0, code: '', description: '', location: '', dateTime: '' }] },
    ],
  ])('is understood when %s', (_name, answer, expected) => {
    expect(read(answer, ['A'])).toMatchObject({ ok: true, value: [expected] })
  })

  it('has no secret in what it says of an event', () => {
    const event = { ...newest, description: 'Asked with s3cret', location: 's3cret' }
    const tracked = read({ state: true, items: { A: [event] }, lastStatus: { A: event } }, ['A'])
    const shown = { description: 'Asked with ***', location: '***' }
    expect(tracked).toMatchObject({ ok: true, value: [{ lastStatus: shown, events: [shown] }] })
  })

  it('adds codes that were not asked for, also ones with odd names', () => {
    const tracked = read('{"state":true,"items":{"__proto__":[],"BOX-1":[]}}', ['A'])
    expect(tracked.ok && tracked.value.map(({ code }) => code)).toEqual(['A', '__proto__', 'BOX-1'])
  })

  it.each([
    [{ state: false, message: 'busy' }, 200, 'service-refused'],
    [{ items: {} }, 200, 'service-answer-not-understood'],
    ['null', 200, 'service-answer-not-understood'],
    ['<html>', 200, 'service-answer-not-understood'],
    ['', 401, 'key-refused'],
    ['', 403, 'key-refused'],
    ['', 404, 'service-refused'],
    ['', 302, 'service-failed'],
    ['', 503, 'service-failed'],
  ])('%j with HTTP %i fails', (answer, status, code) => {
    expect(read(answer, ['A'], status)).toMatchObject({ ok: false, error: { code } })
  })
})
