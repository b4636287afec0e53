import { MantineProvider } from '@mantine/core'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, type RenderResult, render } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { I18nextProvider } from 'react-i18next'
import { onTestFinished, vi } from 'vitest'
import { createQueryClient, syncCacheWithMain } from '../../src/renderer/bridge'
import { createTranslator } from '../../src/renderer/i18n/translator'
import { createAppTheme } from '../../src/renderer/theme/theme'
import type { Settings } from '../../src/shared/settings'
import { createFakeBridge, type FakeBridge } from '../support/fakeBridge'

export interface RenderedApp extends RenderResult {
  user: UserEvent
  fake: FakeBridge
  client: QueryClient
  /** Like the fake's `emit`; resolves once the screen has applied the event. */
  emit: FakeBridge['emit']
}

/** Renders a part of the window like the app does, over a fake bridge. */
export function renderApp(
  part: ReactNode,
  fake = createFakeBridge(),
  language: Settings['language'] = 'en',
): RenderedApp {
  vi.stubGlobal('packbench', fake.checked)
  const client = createQueryClient()
  const stop = syncCacheWithMain(client)
  onTestFinished(() => {
    stop()
    client.clear()
    vi.unstubAllGlobals()
  })
  const translator = createTranslator(language)
  const rendered = render(
    <I18nextProvider i18n={translator}>
      <QueryClientProvider client={client}>
        <MantineProvider theme={createAppTheme(translator.t('common.close'))} env="test">
          {part}
        </MantineProvider>
      </QueryClientProvider>
    </I18nextProvider>,
  )
  const emit: FakeBridge['emit'] = (event, payload) => act(() => fake.emit(event, payload))
  return { ...rendered, user: userEvent.setup(), fake, client, emit }
}
