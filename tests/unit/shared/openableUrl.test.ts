import { describe, expect, it } from 'vitest'
import { findLinkHost, toOpenableUrl } from '../../../src/shared/fields'

describe('a tracking link', () => {
  it.each([
    ['https://track.example/3SPB1?x=1', 'track.example'],
    ['https://track.example:8443/', 'track.example:8443'],
    ['http://127.0.0.1:4000/trace/1', '127.0.0.1:4000'],
    ['http://localhost/trace', 'localhost'],
  ])('can be opened when it is %s, and its host %s is shown', (link, host) => {
    expect(toOpenableUrl(link)?.href).toBe(new URL(link).href)
    expect(findLinkHost(link)).toBe(host)
  })

  it.each([
    'http://track.example/3SPB1',
    'http://127.0.0.1.evil.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'ms-msdt:/id',
    'not a link',
    '',
    null,
  ])('can’t be opened when it is %s', (link) => {
    expect(toOpenableUrl(link)).toBeNull()
    expect(findLinkHost(link)).toBeNull()
  })
})
