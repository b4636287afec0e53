import { z } from 'zod'

/** The suites in the order of the page; each is a file of tests/bench that exports its parts. */
export const suites = {
  f9: 'From the key to the label',
  printing: 'Printing',
  start: 'Start',
  loop: 'Main’s event loop',
  search: 'Search and lists',
  retention: 'Retention',
  batch: 'Throughput of a batch',
  hotFolder: 'Hot folder',
  tracking: 'Tracking',
  manifests: 'Manifests',
  idle: 'Idle',
  fleet: 'Fleet',
}
/**
 * One measured figure. Its goal applies to the ratio to its reference, or to what `judged` names; without a reference, to its
 * value. A figure without `atMost` and `atLeast` has no goal.
 */
const figureSchema = z.object({
  name: z.string(),
  value: z.number(),
  unit: z.string(),
  /** Measured in the same run, in the same unit, for comparison. */
  reference: z.object({ name: z.string(), value: z.number() }).optional(),
  judged: z.enum(['value', 'ratio', 'difference']).optional(),
  atMost: z.number().optional(),
  atLeast: z.number().optional(),
  note: z.string().optional(),
})

/** @typedef {z.infer<typeof figureSchema>} Figure */

/** Common to all parts of one run: time in UTC, machine, its load of the last minute, commit. */
const runSchema = z.object({ at: z.string(), machine: z.string(), load: z.number(), commit: z.string() })

const partSchema = z.object({
  suite: z.string(),
  part: z.string(),
  run: runSchema,
  figures: z.array(figureSchema),
})

/** @typedef {z.infer<typeof partSchema>} MeasuredPart */

/**
 * Reads a figure that another process wrote as JSON. Throws when the line is not a figure.
 * @param {string} line
 * @returns {Figure}
 */
export function readFigure(line) {
  return figureSchema.parse(JSON.parse(line))
}

/**
 * Reads the parts that earlier runs wrote. Throws when the text is something else.
 * @param {string} json
 * @returns {MeasuredPart[]}
 */
export function readParts(json) {
  return z.array(partSchema).parse(JSON.parse(json))
}

/**
 * Replaces earlier results by the newly measured parts.
 * @param {readonly MeasuredPart[]} earlier
 * @param {readonly MeasuredPart[]} measured
 * @returns {MeasuredPart[]} in the order of the earlier ones, new ones at the end
 */
export function mergeParts(earlier, measured) {
  /** @param {MeasuredPart} one */
  const key = ({ suite, part }) => `${suite} ${part}`
  const newest = new Map([...earlier, ...measured].map((each) => [key(each), each]))
  return [...newest.values()]
}

/**
 * The ratio to the reference, the goal in words and whether it is met.
 * @param {Figure} figure
 * @returns {{ ratio: number | undefined, goal: string, verdict: 'met' | 'missed' | 'none' }}
 */
export function judge({ value, unit, reference, judged, atMost, atLeast }) {
  const ratio = reference === undefined ? undefined : value / reference.value
  const by = reference === undefined ? 'value' : (judged ?? 'ratio')
  const measured = {
    value,
    ratio: ratio ?? Number.NaN,
    difference: value - (reference?.value ?? Number.NaN),
  }[by]
  const words = { value: unit, ratio: 'x', difference: `${unit} more` }[by]
  const bounds = [
    ...(atMost === undefined ? [] : [{ text: `at most ${atMost} ${words}`, isMet: measured <= atMost }]),
    ...(atLeast === undefined ? [] : [{ text: `at least ${atLeast} ${words}`, isMet: measured >= atLeast }]),
  ]
  const verdict = bounds.length === 0 ? 'none' : bounds.every(({ isMet }) => isMet) ? 'met' : 'missed'
  return { ratio, goal: bounds.map(({ text }) => text).join(', '), verdict }
}

const widths = [62, 14, 14, 8, 22, 7]

/** The table's first line on a terminal. */
export const tableHead = toColumns(['figure', 'measured', 'reference', 'ratio', 'goal', 'verdict'])

/**
 * Formats a figure as a table row for the terminal, with its explanations indented below.
 * @param {Figure} figure
 * @returns {string}
 */
export function toRow(figure) {
  const cells = toCells(figure)
  return [toColumns(cells), ...explain(figure).map((text) => `    ${text}`)].join('\n')
}

/**
 * Counts the goals that were met, and lists those that were missed.
 * @param {readonly Figure[]} figures
 * @returns {string}
 */
export function toSummary(figures) {
  const verdicts = figures.map((figure) => ({ figure, ...judge(figure) }))
  const judged = verdicts.filter(({ verdict }) => verdict !== 'none')
  const missed = judged.filter(({ verdict }) => verdict === 'missed')
  const names = missed.map(({ figure }) => `\n  missed: ${figure.name}`).join('')
  return `${judged.length - missed.length} of ${judged.length} goals are met, ${figures.length - judged.length} figures have none${names}`
}

/**
 * Generates the page of figures.
 * @param {readonly MeasuredPart[]} parts
 * @param {Readonly<Record<string, string>>} titles of the suites, in the order of the page
 * @returns {string} Markdown
 */
export function toMarkdown(parts, titles) {
  const sections = Object.entries(titles).flatMap(([suite, title]) => {
    const measured = parts.filter((part) => part.suite === suite)
    return measured.length === 0 ? [] : [`## ${title}\n\n${measured.map(toSection).join('\n\n')}`]
  })
  return `${[pageHead, ...sections].join('\n\n')}\n`
}

const pageHead = `# Figures

Written by \`npm run bench -- --write\`, or with the names of suites and parts for those alone; do not edit. How each is measured, what a missed
goal is due to and what was decided stands in [performance](performance.md). Goals are no promises, and no test asserts them. Each figure
stands beside a reference of the same run: absolute times say more about the machine than about the app, and ratios taken while
its load is above the number of its cores say little.`

/** @param {MeasuredPart} part */
function toSection({ suite, part, run, figures }) {
  return [
    `\`npm run bench -- ${suite} ${part}\`: ${run.at.slice(0, 16).replace('T', ' ')} UTC, commit ${run.commit}, load ${run.load} on ${run.machine}.`,
    '',
    '| figure | measured | reference | ratio | goal | verdict |',
    '|---|---|---|---|---|---|',
    ...figures.map(toMarkdownRow),
  ].join('\n')
}

/** @param {Figure} figure */
function toMarkdownRow(figure) {
  const [name = '', ...cells] = toCells(figure)
  const verdict = cells.pop()
  const text = [name, ...explain(figure)].join('; ').replaceAll('|', '\\|')
  return `| ${[text, ...cells, verdict === 'missed' ? '**missed**' : verdict].join(' | ')} |`
}

/** @param {Figure} figure */
function toCells(figure) {
  const { name, value, unit, reference } = figure
  const { ratio, goal, verdict } = judge(figure)
  return [
    name,
    `${toNumber(value)} ${unit}`.trimEnd(),
    reference === undefined ? '' : `${toNumber(reference.value)} ${unit}`.trimEnd(),
    ratio === undefined ? '' : toNumber(ratio),
    goal,
    verdict === 'none' ? '' : verdict,
  ]
}

/** @param {Figure} figure */
function explain({ reference, note }) {
  return [reference === undefined ? '' : `reference: ${reference.name}`, note ?? ''].filter(Boolean)
}

/**
 * Two decimals below 100, so that a ratio of 1.03 differs from 1.
 * @param {number} value
 */
function toNumber(value) {
  return value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 100 ? 2 : 0 })
}

/** @param {readonly string[]} cells */
function toColumns(cells) {
  return cells
    .map((cell, index) => cell.padEnd(widths[index] ?? 0))
    .join(' ')
    .trimEnd()
}
