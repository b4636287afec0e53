import { describe, expect, it } from 'vitest'
import { getPathPrefix, parseBaseUrl } from '../../../src/main/carrier/service'

describe('parseBaseUrl', () => {
  it.each([
    ['https://carrier.example', 'https://carrier.example', ''],
    ['  https://carrier.example/  ', 'https://carrier.example', ''],
    ['https://carrier.example/api/v//', 'https://carrier.example', '/api/v'],
    ['https://carrier.example:8443/api', 'https://carrier.example:8443', '/api'],
    ['http://127.0.0.1:4010/api/', 'http://127.0.0.1:4010', '/api'],
    ['http://127.1.2.3', 'http://127.1.2.3', ''],
    ['http://127.1', 'http://127.0.0.1', ''],
    ['http://localhost:80', 'http://localhost', ''],
    ['http://[::1]:4010', 'http://[::1]:4010', ''],
  ])('accepts the service address «%s»', (text, origin, prefix) => {
    const parsed = parseBaseUrl(text)
    expect(parsed.ok && [parsed.value.origin, getPathPrefix(parsed.value)]).toEqual([origin, prefix])
  })

  it.each([
    ['', 'scheme'],
    ['carrier.example/api', 'scheme'],
    ['localhost:4010', 'scheme'],
    ['ftp://carrier.example', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['http://carrier.example', 'insecure'],
    ['http://192.168.0.10', 'insecure'],
    ['http://localhost.example', 'insecure'],
    ['http://127.0.0.1.example', 'insecure'],
    ['http://0.0.0.0', 'insecure'],
    ['https://user@carrier.example', 'user-info'],
    ['https://user:secret@carrier.example', 'user-info'],
    ['https://carrier.example/api?x=1', 'query'],
    ['https://carrier.example/api?', 'query'],
    ['https://carrier.example/api#top', 'query'],
  ])('refuses the service address «%s» because of its %s', (text, reason) => {
    const parsed = parseBaseUrl(text)
    expect(parsed).toMatchObject({ ok: false, error: { code: 'base-url-not-allowed', details: { reason } } })
    expect(JSON.stringify(parsed)).not.toContain('secret')
  })
})
