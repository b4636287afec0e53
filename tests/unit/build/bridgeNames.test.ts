import { join } from 'node:path'
import { build } from 'vite'
import { describe, expect, it } from 'vitest'
import { bridgeNames } from '../../../build/bridgeNames.mjs'
import { repoDir } from '../../../build/paths.mjs'
import { eventNames, methodNames } from '../../../src/shared/bridge'
import { eventsChannel } from '../../../src/shared/channels'

async function buildPreload(): Promise<string> {
  const made = await build({
    configFile: false,
    root: repoDir,
    logLevel: 'error',
    plugins: [bridgeNames()],
    build: {
      ssr: join(repoDir, 'src/preload/index.ts'),
      write: false,
      rollupOptions: { external: ['electron'], output: { format: 'cjs' } },
    },
  })
  const [bundle] = [made].flat()
  if (bundle === undefined || !('output' in bundle)) throw new Error('nothing was built')
  return bundle.output[0].code
}

describe('the built preload', () => {
  it('exposes every method and event of the bridge, and contains no schema', async () => {
    const code = await buildPreload()
    const channels: string[] = []
    const exposed: Record<string, unknown> = {}
    const electron = {
      contextBridge: { exposeInMainWorld: (_name: string, client: object) => Object.assign(exposed, client) },
      ipcRenderer: {
        invoke: (channel: string) => channels.push(channel),
        on: (channel: string) => channels.push(channel),
      },
    }
    new Function('require', code)(() => electron)
    for (const name of methodNames) Reflect.apply(Object(exposed[name]), undefined, [])
    for (const name of eventNames) Reflect.apply(Object(exposed.on), undefined, [name, () => undefined])
    expect(channels).toEqual([eventsChannel, ...methodNames.map((name) => `packbench:${name}`)])
    expect(() => Reflect.apply(Object(exposed.on), undefined, ['other', () => undefined])).toThrow('other')
    expect(code).not.toContain('safeParse')
  })
})
