import { skipToken, useIsMutating, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { AppError } from '../../../../shared/errors'
import type { Printer, PrinterCheck, TestLabelAnswer } from '../../../../shared/printing'
import { callMainOrThrow } from '../../../bridge'

/** The parts of a printer's answer that become a sentence. */
export type ToolWords = Pick<PrinterCheck, 'code' | 'details' | 'remarks'> | TestLabelAnswer

/** The result of the last test of a printer. */
export type ToolAnswer = { tone: 'good' | 'attention'; words: ToolWords } | { tone: 'bad'; error: AppError }

type Tool = { kind: 'check'; printer: Printer } | { kind: 'test-label' } | { kind: 'calibration' }

async function tryPrinter(printerId: string, tool: Tool): Promise<ToolAnswer> {
  if (tool.kind === 'test-label') {
    const words = await callMainOrThrow('printTestLabel', { printerId })
    return { tone: words.code === 'not-in-time' ? 'attention' : 'good', words }
  }
  if (tool.kind === 'calibration') {
    const words = await callMainOrThrow('calibratePrinter', { printerId })
    return { tone: words.code === 'calibrating' ? 'good' : 'attention', words }
  }
  const { error, ...words } = await callMainOrThrow('checkPrinter', { printer: tool.printer })
  if (error) return { tone: 'bad', error }
  return { tone: words.reachable && words.remarks.length === 0 ? 'good' : 'attention', words }
}

const getAnswerKey = (printerId: string) => ['printerAnswer', printerId]

/** Tests a printer during set-up, one test at a time. The result stays until the next test. */
export function usePrinterTools(printerId: string) {
  const client = useQueryClient()
  const key = getAnswerKey(printerId)
  const busy = useIsMutating({ mutationKey: key }) > 0
  const note = (answer: ToolAnswer | null) => client.setQueryData<ToolAnswer | null>(key, answer)
  const { mutate } = useMutation({
    mutationKey: key,
    mutationFn: (tool: Tool) => tryPrinter(printerId, tool),
    onMutate: () => note(null),
    onSuccess: note,
    onError: (error) => note({ tone: 'bad', error }),
  })
  const run = (tool: Tool) => {
    if (client.isMutating({ mutationKey: key }) === 0) mutate(tool)
  }
  return { busy, run, forget: () => note(null) }
}

export function usePrinterAnswer(printerId: string): ToolAnswer | undefined {
  const gcTime = Number.POSITIVE_INFINITY
  const queryKey = getAnswerKey(printerId)
  return useQuery<ToolAnswer | null>({ queryKey, queryFn: skipToken, gcTime }).data ?? undefined
}
