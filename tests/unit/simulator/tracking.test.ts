import { describe, expect, it } from 'vitest'
import { trackingEvents } from '../../../src/simulator/tracking'

const startedAt = new Date(2026, 10, 21, 10, 0, 0)
const journey = { startedAt, city: 'Den Haag', country: 'NL' }

function later(seconds: number): Date {
  return new Date(startedAt.getTime() + seconds * 1000)
}

describe('the tracking events of a parcel', () => {
  it('begin with the label alone', () => {
    expect(trackingEvents(journey, later(0), 20, 'en')).toEqual([
      {
        itemNumber: 0,
        code: '99',
        description: 'Label has been created',
        location: '',
        dateTime: '2026-11-21 10:00:00',
      },
    ])
  })

  it('grow by one a step, newest first with itemNumber 0', () => {
    const events = trackingEvents(journey, later(45), 20, 'en')
    expect(events.map(({ code }) => code)).toEqual(['2006', '2002', '99'])
    expect(events.map(({ itemNumber }) => itemNumber)).toEqual([0, 1, 2])
    expect(events.map(({ dateTime }) => dateTime)).toEqual([
      '2026-11-21 10:00:40',
      '2026-11-21 10:00:20',
      '2026-11-21 10:00:00',
    ])
  })

  it('end with the delivery and stay there', () => {
    const events = trackingEvents(journey, later(100_000), 20, 'en')
    expect(events.map(({ code }) => code)).toEqual(['9000', '5001', '3000', '2006', '2002', '99'])
    expect(events[0]).toMatchObject({ description: 'Delivered', location: 'Den Haag' })
  })

  it('are described in Dutch too', () => {
    const [newest, ...older] = trackingEvents(journey, later(20), 20, 'nl')
    expect([newest, ...older].map(({ description }) => description)).toEqual([
      'De vervoerder heeft de lading geladen',
      'Label is aangemaakt',
    ])
  })
})
