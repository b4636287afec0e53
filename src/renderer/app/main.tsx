import '../../shared/jitless'
import '@mantine/core/styles.layer.css'
import '../theme/global.css'
import '../theme/forcedColors.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { I18nextProvider } from 'react-i18next'
import { createQueryClient, syncCacheWithMain } from '../bridge'
import { createTranslator } from '../i18n/translator'
import { App } from './App'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element with the id root.')

const nonce = document.querySelector('meta[name="csp-nonce"]')?.getAttribute('content') ?? ''
const client = createQueryClient()
syncCacheWithMain(client)

createRoot(root).render(
  <I18nextProvider i18n={createTranslator('en')}>
    <QueryClientProvider client={client}>
      <App nonce={nonce} />
    </QueryClientProvider>
  </I18nextProvider>,
)
