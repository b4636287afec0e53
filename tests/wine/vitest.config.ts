import { defineConfig } from 'vitest/config'

/** `npm run test:wine`: apart from `npm test`, since it takes a Debian of its own. */
export default defineConfig({
  test: {
    include: ['tests/wine/**/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
})
