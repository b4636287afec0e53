import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished, vi } from 'vitest'
import type { SystemPrinter } from '../../../src/shared/printing'
import { systemPrinterSchema } from '../../../src/shared/printing'
import type { FakePrinterOptions } from './fakePrinter'
import { startFakePrinter } from './fakePrinter'
import type { PrivateCups, PrivateCupsOptions } from './privateCups'
import { startPrivateCups } from './privateCups'

/** Starts a private CUPS before the tests of the enclosing block; during its tests all programs use it. */
export function useCups(options: PrivateCupsOptions = {}) {
  let cups: PrivateCups | undefined
  let queues = 0
  const server = () => {
    if (cups === undefined) throw new Error('CUPS runs only during tests')
    return cups
  }

  beforeAll(async () => {
    cups = await startPrivateCups(options)
  })
  beforeEach(() => {
    vi.stubEnv('CUPS_SERVER', server().server)
  })
  afterEach(() => {
    vi.unstubAllEnvs()
  })
  afterAll(async () => {
    await cups?.close()
  })

  return {
    server,
    /** A fake printer with its own queue; it is closed when the test ends. */
    async printerWithQueue(options: FakePrinterOptions & { queue?: string; description?: string } = {}) {
      queues += 1
      const queue = options.queue ?? `LABEL-${queues}`
      const fake = await startFakePrinter(options)
      onTestFinished(() => fake.close())
      await server().addQueue(queue, fake.uri, options.description)
      return { fake, queue }
    },
  }
}

/** The settings of a printer on a queue; 100 x 150 mm unless `fields` overrides it. */
export function systemPrinter(queue: string, fields: Partial<SystemPrinter> = {}): SystemPrinter {
  return systemPrinterSchema.parse({ id: 'cups', driver: 'system', queue, ...fields })
}
