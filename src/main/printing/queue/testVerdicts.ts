import { isDeepStrictEqual } from 'node:util'
import type { Printer, PrinterVerdict, TestVerdict } from '../../../shared/printing'
import { ok, type Result } from '../../../shared/result'
import type { TestVerdictRepository } from './repository'
import { findPrinter } from './routing'

/** What test labels are judged with. */
export interface TestVerdictDeps {
  printers(): Printer[]
  testVerdicts: TestVerdictRepository
  /** The name of the operator who is signed in; null when nobody is. */
  currentOperator(): string | null
  now(): Date
}

/** What people said of the test labels of the printers that the station has, in the order of its printers. */
export async function listTestVerdicts(
  deps: Pick<TestVerdictDeps, 'printers' | 'testVerdicts'>,
): Promise<PrinterVerdict[]> {
  const noted = new Map((await deps.testVerdicts.list()).map((row) => [row.printerId, row]))
  return deps.printers().flatMap((printer) => {
    const row = noted.get(printer.id)
    if (row === undefined) return []
    const { printer: then, ...verdict } = row
    return [{ ...verdict, isCurrent: isSetUpAs(then, printer) }]
  })
}

/**
 * Keeps what a person says of a printer's test label, with how the printer is set up now.
 * @returns what is known of all printers; `printer-not-found` for one that the station does not have
 */
export async function noteTestVerdict(
  printerId: string,
  verdict: TestVerdict,
  deps: TestVerdictDeps,
): Promise<Result<PrinterVerdict[]>> {
  const printer = findPrinter(deps.printers(), printerId)
  if (!printer.ok) return printer
  await deps.testVerdicts.put({
    printerId,
    verdict,
    notedAt: deps.now().toISOString(),
    operator: deps.currentOperator(),
    printer: toStored(printer.value),
  })
  return ok(await listTestVerdicts(deps))
}

/** What decides how labels come out of a printer, as it is stored. */
function toStored({ name: _name, ...printer }: Printer): string {
  return JSON.stringify(printer)
}

function isSetUpAs(stored: string, printer: Printer): boolean {
  return isDeepStrictEqual(JSON.parse(stored), JSON.parse(toStored(printer)))
}
