import { describe, expect, it } from 'vitest'
import { readAddresses } from '../../../src/main/discovery/scanAddresses'

const hosts = (text: string) => {
  const read = readAddresses(text)
  return read.ok ? read.value.map(({ host, port }) => (port === 9100 ? host : `${host}:${port}`)) : read
}

describe('addresses to look at', () => {
  it('are single ones, ranges and networks', () => {
    expect(hosts('192.168.1.20')).toEqual(['192.168.1.20'])
    expect(hosts('10.0.0.254-10.0.1.1, 192.168.1.7:6101')).toEqual([
      '10.0.0.254',
      '10.0.0.255',
      '10.0.1.0',
      '10.0.1.1',
      '192.168.1.7:6101',
    ])
    expect(hosts('192.168.1.20-22 192.168.1.21')).toEqual(['192.168.1.20', '192.168.1.21', '192.168.1.22'])
    expect(hosts('192.168.1.77/30')).toEqual(['192.168.1.77', '192.168.1.78'])
    expect(hosts('192.168.1.0/24')).toHaveLength(254)
  })

  it.each([
    'printer.local',
    '300.1.1.1',
    '192.168.1.30-20',
    '10.0.0.0/8',
    '192.168.1.1/40',
    '10.0.0.1:0',
    '10.0.0.1-10.0.9.9',
  ])('names what can not be read or is too much: %s', (text) => {
    expect(hosts(`192.168.1.1, ${text}`)).toEqual({ ok: false, error: text })
  })
})
