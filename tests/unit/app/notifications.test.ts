import { EventEmitter } from 'node:events'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createJobNotifier, toAlertMessage } from '../../../src/main/app/desktopMessages'
import { createDesktopNotifications } from '../../../src/main/app/desktopNotifications'
import type { NewAlert } from '../../../src/main/tracking/repository'
import type { PrintJob } from '../../../src/shared/printing'
import { sampleJob } from '../../support/screenSamples'

/** Stands in for the desktop: the notifications shown, whether it supports them, and whether the app is in front. */
const desktop = vi.hoisted(() => ({
  shown: [] as { title: string; body: string; emit(event: 'click'): void }[],
  supported: true,
  inFront: false,
}))

vi.mock('electron', () => ({
  Notification: class extends EventEmitter {
    static isSupported = () => desktop.supported
    readonly title: string
    readonly body: string
    constructor({ title, body }: { title: string; body: string }) {
      super()
      this.title = title
      this.body = body
    }
    show() {
      desktop.shown.push(this)
    }
  },
  BrowserWindow: { getFocusedWindow: () => (desktop.inFront ? {} : null) },
}))

beforeEach(() => {
  desktop.shown = []
  desktop.supported = true
  desktop.inFront = false
})

const words = () => desktop.shown.map(({ title, body }) => [title, body])

describe('a notification that a printer needs attention', () => {
  const job: PrintJob = sampleJob({ reference: 'ORDER-1', printerName: 'Zebra' })
  const createNotifier = (language: 'en' | 'nl', onClick = () => undefined) =>
    createJobNotifier(
      () => language,
      (message) => createDesktopNotifications().showUnlessFocused(message, onClick),
    )

  it.each([
    ['en', 'failed', 'Printer Zebra needs you', 'The label of ORDER-1 was not printed.'],
    ['en', 'waiting', 'Printer Zebra needs you', 'The label of ORDER-1 waits for your choice.'],
    ['nl', 'failed', 'Printer Zebra heeft u nodig', 'Het label van ORDER-1 is niet afgedrukt.'],
    [
      'nl',
      'unconfirmed',
      'Printer Zebra heeft u nodig',
      'Het is niet bekend of het label van ORDER-1 is afgedrukt.',
    ],
  ] as const)('says in %s that a job is %s, once for two reports', (language, state, title, body) => {
    const notify = createNotifier(language)
    notify({ ...job, state })
    notify({ ...job, state })
    expect(words()).toEqual([[title, body]])
  })

  it('is shown for a label that waits at the printer, and not for successful jobs', () => {
    const notify = createNotifier('nl')
    notify({ ...job, state: 'queued', note: null })
    notify({ ...job, state: 'sending', note: null })
    notify({ ...job, state: 'done', note: null })
    expect(words()).toEqual([])
    notify({ ...job, state: 'queued', note: { code: 'nothing-sent-yet', says: [{ code: 'head-open' }] } })
    expect(words()).toEqual([['Printer Zebra heeft u nodig', 'Het label van ORDER-1 wacht bij de printer.']])
  })

  it('calls its action when it is clicked', () => {
    const onClick = vi.fn()
    createNotifier('en', onClick)({ ...job, state: 'failed' })
    expect(onClick).not.toHaveBeenCalled()
    desktop.shown[0]?.emit('click')
    expect(onClick).toHaveBeenCalledTimes(1)
  })

  it('is not shown while the app is in front, or where the desktop supports no notifications', () => {
    desktop.inFront = true
    createNotifier('en')({ ...job, state: 'failed' })
    desktop.inFront = false
    desktop.supported = false
    createNotifier('en')({ ...job, state: 'failed' })
    expect(words()).toEqual([])
  })
})

describe('a notification that parcels need attention', () => {
  const alert = (reference: string, what: NewAlert['alert']): NewAlert => ({
    code: `3S${reference}`,
    reference,
    alert: what,
  })

  it('names up to three parcels in the operator’s language, and the number of the others', () => {
    const many = [alert('A', 'status'), alert('B', 'not-found'), alert('C', 'silent'), alert('D', 'silent')]
    expect(toAlertMessage([alert('A', 'silent')], 'nl')).toEqual({
      title: 'Een pakket vraagt aandacht',
      body: 'A: al dagen geen nieuws',
    })
    expect(toAlertMessage(many, 'en')).toEqual({
      title: '4 parcels need someone',
      body: 'A: the carrier reports an exception\nB: not known to the service\nC: no news for days\nand 1 more',
    })
  })

  it('calls its action when it is clicked, also with the app in front, and is not shown where the desktop supports none', () => {
    const open = vi.fn()
    const notices = createDesktopNotifications()
    desktop.inFront = true
    notices.show(toAlertMessage([alert('A', 'silent')], 'en'), open)
    desktop.shown[0]?.emit('click')
    expect(open).toHaveBeenCalledTimes(1)
    desktop.supported = false
    notices.show(toAlertMessage([alert('A', 'silent')], 'en'), open)
    expect(desktop.shown).toHaveLength(1)
  })
})
