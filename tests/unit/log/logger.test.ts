import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLogger } from '../../../src/main/log/logger'
import { createRedactor } from '../../../src/main/log/redactor'

let root: string
let folder: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'packbench-log-'))
  folder = join(root, 'logs')
})

afterEach(() => rmSync(root, { recursive: true }))

function linesIn(path: string): unknown[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}

describe('the log', () => {
  it('consists of JSON lines without secrets, in a file that only its owner can read', async () => {
    const redactor = createRedactor()
    const logger = createLogger({ folder, redactor })
    redactor.add('s3cret "quoted"')
    logger.info('asked', {
      path: '/action/abcdef/101',
      text: 'with s3cret "quoted" in it',
      count: 2,
      none: null,
    })
    logger.warn('s3cret "quoted"')
    await logger.close()
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    expect(linesIn(join(folder, 'packbench.log'))).toEqual([
      {
        level: 'info',
        time,
        path: '/action/[redacted]/101',
        text: 'with [redacted] in it',
        count: 2,
        none: null,
        msg: 'asked',
      },
      { level: 'warn', time, msg: '[redacted]' },
    ])
    if (process.platform !== 'win32') {
      expect(mode(folder)).toBe('700')
      expect(mode(join(folder, 'packbench.log'))).toBe('600')
    }
  })

  it('keeps times, numbers, flags and dates when a secret is a common word', async () => {
    const redactor = createRedactor()
    const year = String(new Date().getFullYear())
    for (const secret of ['true', 'level', 'info', year]) redactor.add(secret)
    const logger = createLogger({ folder, redactor })
    logger.info(`it is ${year}`, { done: true, count: Number(year), date: `${year}-11-22`, said: 'true' })
    await logger.close()
    expect(linesIn(join(folder, 'packbench.log'))).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(new RegExp(`^${year}-`)),
        done: true,
        count: Number(year),
        date: `${year}-11-22`,
        said: '[redacted]',
        msg: 'it is [redacted]',
      },
    ])
  })

  it('appends to an existing file and removes the permissions of other users', async () => {
    createLogger({ folder, redactor: createRedactor() }).close()
    const path = join(folder, 'packbench.log')
    writeFileSync(path, '{"msg":"earlier"}\n')
    chmodSync(path, 0o644)
    const logger = createLogger({ folder, redactor: createRedactor() })
    logger.error('later')
    await logger.close()
    logger.error('after the end')
    expect(linesIn(path)).toMatchObject([{ msg: 'earlier' }, { msg: 'later' }])
    if (process.platform !== 'win32') expect(mode(path)).toBe('600')
  })

  it('starts a new file at the size limit and keeps four old ones', async () => {
    const logger = createLogger({ folder, redactor: createRedactor(), size: '200B' })
    for (let line = 0; line < 40; line += 1) logger.info('a line of some length', { line })
    await logger.close()
    expect(readdirSync(folder).sort()).toEqual([
      'packbench.1.log',
      'packbench.2.log',
      'packbench.3.log',
      'packbench.4.log',
      'packbench.log',
    ])
    const newest = linesIn(join(folder, 'packbench.1.log')).at(-1)
    expect([39, 38, 37]).toContain(Object(newest).line)
    if (process.platform !== 'win32') expect(mode(join(folder, 'packbench.3.log'))).toBe('600')
  })

  it('goes to the fallback, redacted, while its folder can’t be created, and to the file once it can be, after a minute', async () => {
    const redactor = createRedactor()
    redactor.add('s3cret')
    let moment = 0
    const fallback = vi.fn()
    writeFileSync(folder, 'a file in the way')
    const logger = createLogger({ folder, redactor, fallback, now: () => moment })
    logger.info('the s3cret')
    expect(fallback).toHaveBeenCalledTimes(2)
    expect(JSON.parse(fallback.mock.calls[0]?.[0])).toMatchObject({ level: 'error', folder })
    expect(JSON.parse(fallback.mock.calls[1]?.[0])).toMatchObject({ msg: 'the [redacted]' })
    rmSync(folder)
    logger.info('too soon')
    moment = 60_000
    logger.info('now')
    await logger.close()
    expect(fallback).toHaveBeenCalledTimes(3)
    expect(linesIn(join(folder, 'packbench.log'))).toMatchObject([{ msg: 'now' }])
  })
})
