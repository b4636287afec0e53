import { describe, expect, it } from 'vitest'
import { installCommand } from '../../../build/system.mjs'

describe('installCommand', () => {
  it('is one line to copy', () => {
    expect(installCommand(['libnss3', 'xvfb'])).toBe(
      'sudo apt-get update && sudo apt-get install -y --no-install-recommends libnss3 xvfb',
    )
  })
})
