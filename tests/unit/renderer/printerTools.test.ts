import { describe, expect, it } from 'vitest'
import { createPrinterToolsStore } from '../../../src/renderer/features/settings/printers/printerToolsStore'
import { appError } from '../../../src/shared/errors'
import { folderPrinterSchema } from '../../../src/shared/printing'
import { err, ok } from '../../../src/shared/result'
import { createFakeBridge } from '../../support/fakeBridge'

const printer = folderPrinterSchema.parse({ driver: 'folder', id: 'file', path: 'out' })

describe('trying a printer', () => {
  it('keeps what its answer is worded from, and asks for a look when something is the matter', async () => {
    const { bridge } = createFakeBridge()
    const check = {
      reachable: true,
      answersStatus: true,
      remarks: [{ code: 'head-open' as const }],
      code: 'with-remarks' as const,
      details: { subject: 'Zebra' },
    }
    bridge.checkPrinter = () => Promise.resolve(ok(check))
    const tools = createPrinterToolsStore(bridge)
    await tools.getState().check(printer)
    expect(tools.getState()).toMatchObject({
      busy: {},
      answers: { file: { tone: 'attention', words: check } },
    })
  })

  it('keeps the error of a printer that can’t be used as it is set up', async () => {
    const { bridge } = createFakeBridge()
    const error = appError('printer-not-found')
    bridge.checkPrinter = () =>
      Promise.resolve(
        ok({ code: 'failed', details: {}, reachable: false, answersStatus: false, remarks: [], error }),
      )
    const tools = createPrinterToolsStore(bridge)
    await tools.getState().check(printer)
    expect(tools.getState().answers).toEqual({ file: { tone: 'bad', error } })
  })

  it('calls a test label good only when the printer took it', async () => {
    const { bridge } = createFakeBridge()
    const tools = createPrinterToolsStore(bridge)
    await tools.getState().printTestLabel('file')
    expect(tools.getState().answers).toMatchObject({ file: { tone: 'good', words: { code: 'taken' } } })
    bridge.printTestLabel = () =>
      Promise.resolve(ok({ code: 'not-in-time', details: { printer: 'Zebra' }, message: 'Too late.' }))
    await tools.getState().printTestLabel('file')
    expect(tools.getState().answers).toMatchObject({ file: { tone: 'attention' } })
    const error = appError('printer-unreachable')
    bridge.printTestLabel = () => Promise.resolve(err(error))
    await tools.getState().printTestLabel('file')
    expect(tools.getState().answers).toEqual({ file: { tone: 'bad', error } })
  })
})
