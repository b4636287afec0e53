import { type AppError, appError } from '../../../shared/errors'
import type { SystemPrinter } from '../../../shared/printing'
import type { Result } from '../../../shared/result'
import { err, ok } from '../../../shared/result'
import { runProgram } from '../drivers/runProgram'
import { nameOfPrinter } from '../queue/routing'

const timeoutMs = 5000
const mmPerInch = 25.4
const maxDarkness = 30
/** Speeds beyond this are in millimetres a second; no label printer moves 16 inches. */
const maxInches = 15
/** How far a speed in millimetres may be from the one that is set. */
const maxDeviation = 0.05
/** What drivers of label printers call darkness and speed: CUPS' own (Zebra, Intellitech, DYMO) and makers'. */
const darknessNames =
  /^(cupsdarkness|darkness|darknesslevel|printdarkness|inprintdensity|dymoprintdensity|printdensity|density)$/i
const speedNames = /^(zeprintrate|inprintrate|printrate|printspeed|speed)$/i

interface QueueOption {
  name: string
  choices: string[]
}

/**
 * The options of a queue's driver for the darkness and speed of a printer's settings, as `lp` takes them.
 * @returns none when the settings state neither; `darkness-not-supported` or `speed-not-supported` for a value that the
 *   queue does not have
 */
export async function findProfileOptions(printer: SystemPrinter): Promise<Result<string[]>> {
  const { darkness, speed } = printer
  if (darkness === undefined && speed === undefined) return ok([])
  const end = await runProgram('lpoptions', ['-p', printer.queue, '-l'], { timeoutMs })
  const options = end.kind === 'success' ? parseQueueOptions(end.output) : []
  const found: string[] = []
  if (darkness !== undefined) {
    const option = options.find(({ name }) => darknessNames.test(name))
    const choice = option && chooseDarkness(option.choices, darkness)
    if (option === undefined || choice === undefined)
      return err(notSupported('darkness', darkness, printer, option))
    found.push(`${option.name}=${choice}`)
  }
  if (speed !== undefined) {
    const option = options.find(({ name }) => speedNames.test(name))
    const choice = option && chooseSpeed(option.choices, speed)
    if (option === undefined || choice === undefined)
      return err(notSupported('speed', speed, printer, option))
    found.push(`${option.name}=${choice}`)
  }
  return ok(found)
}

/** Reads the lines of `lpoptions -l`: `Darkness/Darkness: *-1 1 2 3`. */
export function parseQueueOptions(output: string): QueueOption[] {
  return output.split('\n').flatMap((line) => {
    const { name, choices } = /^(?<name>[^/:\s]+)(?:\/[^:]*)?:(?<choices>.*)$/.exec(line)?.groups ?? {}
    if (name === undefined || choices === undefined) return []
    return [
      {
        name,
        choices: choices.split(/\s+/).flatMap((each) => (each === '' ? [] : [each.replace(/^\*/, '')])),
      },
    ]
  })
}

/**
 * The choice for a darkness from 0 to 30: the same number, its place between -15 and 15, or its quarter among the four
 * words of a DYMO.
 */
export function chooseDarkness(choices: readonly string[], darkness: number): string | undefined {
  const words = choices.filter((choice) => /^(light|medium|normal|dark)$/i.test(choice))
  if (words.length === 4) return words[Math.floor((darkness * words.length) / (maxDarkness + 1))]
  const centred = choices.includes('-15') && choices.includes('15')
  return choices.find((choice) => choice === String(centred ? darkness - maxDarkness / 2 : darkness))
}

/** The choice for a speed in inches a second, where the driver counts in millimetres the nearest within 5 %. */
export function chooseSpeed(choices: readonly string[], inches: number): string | undefined {
  const speeds = choices.flatMap((choice) => {
    const value = /^(\d+(?:\.\d+)?)/.exec(choice)?.[1]
    return value === undefined ? [] : [{ choice, value: Number(value) }]
  })
  const inMm = speeds.some(({ value }) => value > maxInches)
  const wanted = inMm ? inches * mmPerInch : inches
  const allowed = inMm ? wanted * maxDeviation : 0
  return speeds
    .filter(({ value }) => Math.abs(value - wanted) <= allowed)
    .toSorted((one, other) => Math.abs(one.value - wanted) - Math.abs(other.value - wanted))[0]?.choice
}

/** The error for a darkness or speed that a queue does not have. */
export function notSupported(
  setting: 'darkness' | 'speed',
  value: number,
  printer: SystemPrinter,
  option?: QueueOption,
): AppError {
  const supported = option?.choices.join(', ') ?? ''
  return appError(`${setting}-not-supported`, {
    printer: nameOfPrinter(printer),
    queue: printer.queue,
    value: String(value),
    supported,
  })
}
