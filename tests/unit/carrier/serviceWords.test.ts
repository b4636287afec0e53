import { describe, expect, it } from 'vitest'
import { findServiceMessage } from '../../../src/main/carrier/service'
import { hiding } from '../../../src/main/log/redactor'

const redact = hiding(['k3y-0f-the-station'], (text) => text.replaceAll('s3cret', '***'))

function findMessage(body: unknown): string | null {
  return findServiceMessage(typeof body === 'string' ? Buffer.from(body) : body, redact)
}

describe('findServiceMessage', () => {
  it.each([
    [{ Errors: 'no street', message: 'failed' }, 'no street'],
    [{ Errors: '', message: 'failed' }, 'failed'],
    [{ Errors: ['no street', '', 'no city'] }, 'no street; no city'],
    [{ Errors: { street: 'missing', city: 7 } }, 'missing; 7'],
    [{ errors: [{ message: 'no street' }] }, 'no street'],
    [{ error: 42 }, '42'],
    [{ Errors: [null, [1]] }, null],
    [{}, null],
    [null, null],
    ['{"Errors":"no street"}', 'no street'],
    ['"just text"', 'just text'],
    ['plain text\n over two lines ', 'plain text over two lines'],
    ['<!doctype html><TITLE lang="en"> Bad\nGateway </TITLE><p>hidden</p>', 'Bad Gateway'],
    ['<html><body>hidden</body></html>', null],
    ['', null],
  ])('finds in the answer %j the message %j', (body, words) => {
    expect(findMessage(body)).toBe(words)
  })

  it('removes the key and control characters and truncates the message to 400 characters', () => {
    const words = findMessage({
      Errors: `\u0007bad key k3y-0f-the-station at /action/other/101\u202e ${'x'.repeat(900)}`,
    })
    expect(words).toMatch(/^bad key \[redacted\] at \/action\/\[redacted\]\/101 x+…$/)
    expect(words).toHaveLength(400)
  })

  it('redacts before it truncates, so that no part of a secret remains at the end', () => {
    expect(findMessage({ message: `${'x'.repeat(395)}s3cret and more` })).toBe(`${'x'.repeat(395)}*** …`)
  })
})
