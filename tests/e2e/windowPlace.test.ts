import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { _electron } from 'playwright'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/temporaryFolder'
import { appArguments, electron, startPlain } from './support/electron'

it('a window that was maximised before is maximised and shown only after its first paint', async () => {
  const data = await temporaryFolder()
  const place = { bounds: { x: 10, y: 20, width: 1100, height: 720 }, maximised: true }
  await writeFile(join(data, 'window.json'), JSON.stringify(place))
  const app = await _electron.launch({
    executablePath: electron().binary,
    args: appArguments(data, ['--hidden']),
    chromiumSandbox: true,
  })
  onTestFinished(() => app.close())
  const watchSteps = () =>
    app.evaluate(({ app: main }) => {
      if (Reflect.has(globalThis, 'steps')) return true
      const steps: string[] = []
      Object.assign(globalThis, { steps })
      main.on('browser-window-created', (_event, window) => {
        window.once('ready-to-show', () => steps.push('painted'))
        window.once('show', () => steps.push('shown'))
        // Without a window manager, as in these tests, maximising does not change the size.
        const maximize = window.maximize.bind(window)
        window.maximize = () => {
          steps.push('maximised')
          maximize()
        }
      })
      return true
    })
  // While main loads, the debugger may lose an answer: it is asked again.
  await expect.poll(watchSteps).toBe(true)
  const steps = () => app.evaluate(() => Reflect.get(globalThis, 'steps'))

  // A second start opens the window of the hidden station.
  expect(await startPlain(data).ended).toBe(0)
  await expect.poll(steps).toContain('shown')
  expect(await steps()).toEqual(['painted', 'maximised', 'shown'])
})
