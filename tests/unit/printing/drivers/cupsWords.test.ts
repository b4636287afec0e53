import { describe, expect, it } from 'vitest'
import { readJobNumber } from '../../../../src/main/printing/cups/cupsJob'
import { parsePrintServer } from '../../../../src/main/printing/cups/cupsQueue'

describe('parsing the text of CUPS', () => {
  it.each([
    ['request id is LABEL-1 (1 file(s))\n', 1],
    ['request id is Zebra-2-300dpi-4711 (0 file(s))', 4711],
    ['', undefined],
    ['request id is LABEL', undefined],
  ])('reads from the answer %j the job number %s', (answer, number) => {
    expect(readJobNumber(answer)).toBe(number)
  })

  it.each([
    ['/run/cups/cups.sock', { socketPath: '/run/cups/cups.sock' }],
    ['localhost:631', { host: 'localhost', port: 631 }],
    ['print.example', { host: 'print.example', port: 631 }],
    ['[::1]:8631', { host: '::1', port: 8631 }],
    ['', undefined],
  ])('reads the server name %j as %o', (answer, server) => {
    expect(parsePrintServer(answer)).toEqual(server)
  })
})
