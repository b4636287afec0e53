import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { useSound } from '../../../src/renderer/ui/sounds'

/** A fake of the audio device, whose tones end when the test says so. */
class FakeAudio {
  static opened: FakeAudio[] = []

  state = 'running'
  currentTime = 0
  destination = {}
  private readonly sounding: { onended?: () => void }[] = []

  constructor() {
    FakeAudio.opened.push(this)
  }

  async resume() {
    this.state = 'running'
  }

  async suspend() {
    this.state = 'suspended'
  }

  createGain() {
    return { gain: { setValueAtTime: vi.fn(), exponentialRampToValueAtTime: vi.fn() }, connect: vi.fn() }
  }

  createOscillator() {
    const tone: { onended?: () => void } = {}
    this.sounding.push(tone)
    const connect = (next: unknown) => next
    return Object.assign(tone, { frequency: { value: 0 }, connect, start: vi.fn(), stop: vi.fn() })
  }

  /** Ends the tone that began first. */
  endTone() {
    this.sounding.shift()?.onended?.()
  }
}

beforeEach(() => {
  FakeAudio.opened = []
  vi.stubGlobal('AudioContext', FakeAudio)
  vi.stubGlobal('window', { localStorage: { getItem: () => null } })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

it('lets the audio device rest once the last tone of all signals has ended', () => {
  const { play } = useSound.getStore(new QueryClient()).getState()
  play('failure')
  const [audio] = FakeAudio.opened
  play('success')
  for (let tone = 0; tone < 3; tone += 1) audio?.endTone()
  expect(audio?.state).toBe('running')
  audio?.endTone()
  expect(audio?.state).toBe('suspended')
  play('error')
  expect(audio?.state).toBe('running')
  audio?.endTone()
  expect(audio?.state).toBe('suspended')
  expect(FakeAudio.opened).toHaveLength(1)
})
