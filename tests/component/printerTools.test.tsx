import { QueryClientProvider } from '@tanstack/react-query'
import { renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { act } from 'react'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createQueryClient } from '../../src/renderer/bridge'
import { usePrinterAnswer, usePrinterTools } from '../../src/renderer/features/settings/printers/tools'
import { appError } from '../../src/shared/errors'
import { folderPrinterSchema } from '../../src/shared/printing'
import { err, ok } from '../../src/shared/result'
import { createFakeBridge } from '../support/fakeBridge'

const printer = folderPrinterSchema.parse({ driver: 'folder', id: 'file', path: 'out' })

function renderTools() {
  const { bridge } = createFakeBridge()
  vi.stubGlobal('packbench', bridge)
  onTestFinished(() => void vi.unstubAllGlobals())
  const client = createQueryClient()
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  )
  const { result } = renderHook(() => ({ ...usePrinterTools('file'), answer: usePrinterAnswer('file') }), {
    wrapper,
  })
  const tryIt = async (tool: Parameters<typeof result.current.run>[0]) => {
    act(() => result.current.run(tool))
    await waitFor(() => expect(result.current).toMatchObject({ busy: false, answer: expect.anything() }))
    return result.current.answer
  }
  return { bridge, tryIt }
}

describe('testing a printer', () => {
  it('keeps its result in words, and asks for attention when the printer reports a problem', async () => {
    const { bridge, tryIt } = renderTools()
    const check = {
      reachable: true,
      remarks: [{ code: 'head-open' as const }],
      code: 'with-remarks' as const,
      details: { subject: 'Zebra' },
    }
    bridge.checkPrinter = () => Promise.resolve(ok(check))
    expect(await tryIt({ kind: 'check', printer })).toMatchObject({ tone: 'attention', words: check })
  })

  it('keeps the error of a printer with unusable settings', async () => {
    const { bridge, tryIt } = renderTools()
    const error = appError('printer-not-found')
    bridge.checkPrinter = () =>
      Promise.resolve(ok({ code: 'failed', details: {}, reachable: false, remarks: [], error }))
    expect(await tryIt({ kind: 'check', printer })).toEqual({ tone: 'bad', error })
  })

  it('reports success for a test label only if the printer accepted it', async () => {
    const { bridge, tryIt } = renderTools()
    expect(await tryIt({ kind: 'test-label' })).toMatchObject({ tone: 'good', words: { code: 'taken' } })
    bridge.printTestLabel = () =>
      Promise.resolve(ok({ code: 'not-in-time', details: { printer: 'Zebra' }, message: 'Too late.' }))
    expect(await tryIt({ kind: 'test-label' })).toMatchObject({ tone: 'attention' })
    const error = appError('printer-unreachable')
    bridge.printTestLabel = () => Promise.resolve(err(error))
    expect(await tryIt({ kind: 'test-label' })).toEqual({ tone: 'bad', error })
  })
})
