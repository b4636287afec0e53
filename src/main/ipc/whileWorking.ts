import type { Result } from '../../shared/result'
import type { Features } from '../app/compose'

/** Runs something on the working features; gives the trouble while there are none. */
export function whileWorking(parts: { features(): Result<Features> }) {
  return async <T>(run: (features: Features) => Promise<Result<T>> | Result<T>): Promise<Result<T>> => {
    const features = parts.features()
    return features.ok ? run(features.value) : features
  }
}
