// `npm run check`: all checks side by side, because most of them use one processor. Prints what each of them has to say.
import { run } from './processes.mjs'
import { say } from './report.mjs'

const npm = process.env.npm_execpath
if (npm === undefined) throw new Error('Run the checks by `npm run check`.')

const ended = await Promise.all(
  ['types', 'lint', 'boundaries', 'unused'].map(async (name) => {
    const { code, output } = await run(process.execPath, [npm, 'run', '--silent', `check:${name}`])
    say(`${name}: ${code === 0 ? 'passed' : 'FAILED'}\n${output.trim()}`.trim())
    return code
  }),
)
process.exitCode = Math.max(...ended)
