import { describe, expect, it } from 'vitest'
import { describeAddresses, readAddresses } from '../../../src/main/discovery/scanAddresses'

const hosts = (text: string) => {
  const read = readAddresses(text)
  return read.ok ? read.value.map(({ host, port }) => (port === 9100 ? host : `${host}:${port}`)) : read
}

describe('addresses to scan', () => {
  it('can be single addresses, ranges and networks', () => {
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
    '8.8.8.8',
    '203.0.113.0/24',
    '172.15.255.250-172.16.0.5',
    '224.0.0.1',
    '0.0.0.0',
    '100.64.0.1',
  ])('are refused when they are invalid, too many or public: %s', (text) => {
    expect(hosts(`192.168.1.1, ${text}`)).toEqual({ ok: false, error: text })
  })
})

describe('the text of the question before a scan', () => {
  const describeText = (text: string) => {
    const read = readAddresses(text)
    return read.ok ? describeAddresses(read.value) : read
  }

  it.each([
    ['192.168.1.0/24', '192.168.1.1-192.168.1.254 (TCP 9100, UDP 161, 254 IPv4)'],
    ['192.168.1.20', '192.168.1.20 (TCP 9100, UDP 161, 1 IPv4)'],
    [
      '192.168.1.21 10.0.0.7:6101, 192.168.1.20',
      '10.0.0.7, 192.168.1.20-192.168.1.21 (TCP 6101, 9100, UDP 161, 3 IPv4)',
    ],
    ['127.0.0.1:80', '127.0.0.1 (TCP 80, UDP 161, 1 IPv4)'],
  ])('names the ranges, ports and number of %s', (text, described) => {
    expect(describeText(text)).toBe(described)
  })

  it('is short enough to be shown completely, and covers every address', () => {
    const many = Array.from(
      { length: 22 },
      (_, index) => `192.168.${index * 4}.${200 - index}:${60000 - index * 7}`,
    )
    const text = describeText(many.join(' '))
    expect(String(text).length).toBeLessThanOrEqual(280)
    expect(text).toBe(
      '192.168.0.200, 192.168.4.199, 192.168.8.198, 192.168.12.197, 192.168.16.196-192.168.84.179 ' +
        '(TCP 59853, 59860, 59867, 59874-60000, UDP 161, 22 IPv4)',
    )
  })
})
