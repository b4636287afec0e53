import { describe, expect, it, vi } from 'vitest'
import { createPin } from '../../../src/main/people/pin'
import { silentLog } from '../../support/silentLog'
import { MemoryJsonFile } from '../settings/memoryJsonFile'

const start = new Date('2026-11-22T08:00:00.000Z')

/** A PIN with its file and a clock that the test sets; `reopen` simulates a restart. */
function station() {
  const file = new MemoryJsonFile(undefined, '/data/pin.json')
  let at = start
  const pinNote = {
    wasSet: false,
    note: vi.fn(async (isSet: boolean) => {
      pinNote.wasSet = isSet
    }),
  }
  let elapsedMs = 0
  const reopen = () => createPin({ file, pinNote, log: silentLog, now: () => at, elapsedMs: () => elapsedMs })
  const setClock = (ms: number) => {
    at = new Date(at.getTime() + ms)
  }
  const wait = (ms: number) => {
    setClock(ms)
    elapsedMs += ms
  }
  return { file, note: pinNote.note, pin: reopen(), reopen, setClock, wait }
}

async function withPin() {
  const made = station()
  expect(await made.pin.set('4711')).toMatchObject({ ok: true })
  return made
}

const minute = 60_000

describe('the PIN', () => {
  it('is stored as a salted hash, and accepted by the next run', async () => {
    const { file, reopen } = await withPin()
    expect(JSON.stringify(file.content)).not.toContain('4711')
    const other = await withPin()
    expect(file.content).not.toEqual(other.file.content)
    expect(await reopen().check('4711')).toMatchObject({ ok: true })
    expect(await reopen().check('4712')).toMatchObject({ error: { code: 'pin-wrong' } })
  })

  it('is not set at first, and not set after it was removed', async () => {
    const { pin, reopen } = station()
    expect(pin.isSet()).toBe(false)
    await pin.set('4711')
    expect(pin.isSet()).toBe(true)
    await pin.set(null)
    expect(reopen().isSet()).toBe(false)
  })

  it('still guards when its file was emptied by hand, and can be set again', async () => {
    const { file, reopen } = await withPin()
    file.content = {}
    const emptied = reopen()
    expect(emptied.isSet()).toBe(true)
    const unusable = { code: 'pin-unusable', details: { reason: 'it is missing or empty' } }
    expect(await emptied.check('')).toMatchObject({ error: unusable })
    expect(await emptied.set('1234')).toMatchObject({ ok: true })
    expect(await reopen().check('1234')).toMatchObject({ ok: true })
  })

  it('stays set when the database can’t store that it was removed', async () => {
    const { pin, reopen, note } = await withPin()
    note.mockRejectedValueOnce(new Error('SQLITE_FULL'))
    expect(await pin.set(null)).toMatchObject({ error: { code: 'pin-unusable' } })
    expect(await reopen().check('4711')).toMatchObject({ ok: true })
  })

  it('still guards when its file is damaged, and can be set again', async () => {
    const { file, reopen } = await withPin()
    file.content = { version: 1, salt: '', hash: '', failures: 0, blockedUntil: null }
    const damaged = reopen()
    expect(damaged.isSet()).toBe(true)
    expect(await damaged.check('')).toMatchObject({ error: { code: 'pin-unusable' } })
    expect(await damaged.set('1234')).toMatchObject({ ok: true })
    expect(await reopen().check('1234')).toMatchObject({ ok: true })
  })
})

describe('wrong PINs', () => {
  it('require a wait after the third, twice as long each time, and at most a quarter of an hour', async () => {
    const { pin, wait } = await withPin()
    for (const expected of ['pin-wrong', 'pin-wrong', 'pin-blocked', 'pin-blocked']) {
      expect(await pin.check('0000')).toMatchObject({ error: { code: expected } })
    }
    expect(pin.retryAt()).toEqual(new Date(start.getTime() + minute / 2))
    // The right PIN has to wait as well: otherwise the wait would reveal it.
    expect(await pin.check('4711')).toMatchObject({ error: { code: 'pin-blocked' } })
    wait(minute / 2)
    await pin.check('0000')
    expect(pin.retryAt()).toEqual(new Date(start.getTime() + 1.5 * minute))
    for (let tries = 0; tries < 10; tries += 1) {
      wait(15 * minute)
      await pin.check('0000')
    }
    expect(pin.retryAt()?.getTime()).toBe(start.getTime() + minute / 2 + 165 * minute)
  })

  it('are counted across a restart, also one during an attempt', async () => {
    const { file, pin, reopen } = await withPin()
    const before = file.writes
    const trying = pin.check('0000')
    await expect.poll(() => file.writes).toBe(before + 1)
    expect(file.content).toMatchObject({ failures: 1 })
    await trying
    await reopen().check('0000')
    await reopen().check('0000')
    expect(await reopen().check('4711')).toMatchObject({ error: { code: 'pin-blocked' } })
  })

  it('are no longer counted after the right one, but still after setting the same PIN again', async () => {
    const { pin, wait } = await withPin()
    await pin.check('0000')
    await pin.check('0000')
    await pin.set('4711')
    expect(await pin.check('0000')).toMatchObject({ error: { code: 'pin-blocked' } })
    wait(minute)
    expect(await pin.check('4711')).toMatchObject({ ok: true })
    expect(await pin.check('0000')).toMatchObject({ error: { code: 'pin-wrong' } })
  })

  it('are counted one by one when many are entered at once', async () => {
    const { pin } = await withPin()
    const codes = await Promise.all(
      ['1', '2', '3', '4711', '4711'].map(async (typed) => {
        const checked = await pin.check(typed)
        return checked.ok ? 'ok' : checked.error.code
      }),
    )
    expect(codes).toEqual(['pin-wrong', 'pin-wrong', 'pin-blocked', 'pin-blocked', 'pin-blocked'])
  })

  it('are not compared when the attempt can’t be stored', async () => {
    const { file, pin } = await withPin()
    file.failure = new Error('ENOSPC')
    expect(await pin.check('4711')).toMatchObject({ error: { code: 'pin-unusable' } })
  })

  it('require the wait even if the clock is set forward, also before a restart', async () => {
    const { pin, reopen, setClock, wait } = await withPin()
    for (let tries = 0; tries < 4; tries += 1) {
      await pin.check('0000')
      if (tries === 2) wait(minute)
    }
    setClock(24 * 60 * minute)
    expect(await pin.check('4711')).toMatchObject({ error: { code: 'pin-blocked' } })
    const again = reopen()
    expect(await again.check('4711')).toMatchObject({ error: { code: 'pin-blocked' } })
    wait(minute / 2)
    expect(await again.check('4711')).toMatchObject({ ok: true })
    expect(await reopen().check('4711')).toMatchObject({ ok: true })
  })

  it('block for at most the longest wait after the clock was set back', async () => {
    const { pin, setClock } = await withPin()
    for (let tries = 0; tries < 3; tries += 1) await pin.check('0000')
    setClock(-30 * 24 * 60 * minute)
    expect(pin.retryAt()?.getTime()).toBeLessThanOrEqual(
      start.getTime() - 30 * 24 * 60 * minute + 15 * minute,
    )
  })
})
