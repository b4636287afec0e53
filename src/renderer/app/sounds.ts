import type { Signal } from '../features/ship/shipState'

/** Tones of a signal: pitch in hertz, start and length in seconds. Told apart without looking. */
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
  fault: [[165, 0, 0.5]],
}

/** Makes the player of the four signals. The audio device is opened at the first sound. */
export function createPlayer(): (signal: Signal) => void {
  let audio: AudioContext | undefined
  return (signal) => {
    audio ??= new AudioContext()
    const now = audio.currentTime
    for (const [pitch, start, length] of tunes[signal]) {
      const tone = audio.createOscillator()
      const volume = audio.createGain()
      tone.type = signal === 'fault' ? 'square' : 'triangle'
      tone.frequency.value = pitch
      volume.gain.setValueAtTime(0.18, now + start)
      volume.gain.exponentialRampToValueAtTime(0.001, now + start + length)
      tone.connect(volume).connect(audio.destination)
      tone.start(now + start)
      tone.stop(now + start + length)
    }
  }
}
