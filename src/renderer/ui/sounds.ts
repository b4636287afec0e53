import { createStore } from 'zustand/vanilla'
import { createStoreHook } from './storeHook'

export type Signal = 'success' | 'failure' | 'attention' | 'error'

interface SoundState {
  on: boolean
  toggle: () => void
  /** Plays a signal unless the sound is off. */
  play: (signal: Signal) => void
}

const key = 'packbench.sound'

/** Whether the station plays sounds; stored across starts, on by default. */
export const useSound = createStoreHook(() =>
  createStore<SoundState>((set, get) => {
    const play = createPlayer()
    return {
      on: window.localStorage.getItem(key) !== 'off',
      toggle() {
        const on = !get().on
        window.localStorage.setItem(key, on ? 'on' : 'off')
        set({ on })
      },
      play(signal) {
        if (get().on) play(signal)
      },
    }
  }),
)

/** Tones of a signal: pitch in hertz, start and length in seconds. The signals can be told apart by ear. */
const tunes: Record<Signal, [pitch: number, start: number, length: number][]> = {
  success: [
    [784, 0, 0.09],
    [1047, 0.1, 0.14],
  ],
  failure: [
    [311, 0, 0.16],
    [233, 0.18, 0.28],
  ],
  attention: [
    [659, 0, 0.1],
    [659, 0.16, 0.1],
    [659, 0.32, 0.1],
  ],
  error: [[165, 0, 0.5]],
}

/** Opens the audio device for the signals alone: an open device wakes the computer a hundred times a second. */
function createPlayer(): (signal: Signal) => void {
  let audio: AudioContext | undefined
  let sounding = 0
  return (signal) => {
    audio ??= new AudioContext()
    const device = audio
    void device.resume()
    const now = device.currentTime
    for (const [pitch, start, length] of tunes[signal]) {
      const tone = device.createOscillator()
      const volume = device.createGain()
      tone.type = signal === 'error' ? 'square' : 'triangle'
      tone.frequency.value = pitch
      volume.gain.setValueAtTime(0.18, now + start)
      volume.gain.exponentialRampToValueAtTime(0.001, now + start + length)
      tone.connect(volume).connect(device.destination)
      tone.start(now + start)
      tone.stop(now + start + length)
      sounding += 1
      tone.onended = () => {
        sounding -= 1
        if (sounding === 0) void device.suspend()
      }
    }
  }
}
