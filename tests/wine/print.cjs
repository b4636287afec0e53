// @ts-nocheck It runs in Windows' Node below another root, where its paths lie.
// Prints as an installed Packbench does, and notes which program was started with what.
const childProcess = require('node:child_process')
const { readFileSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { join } = require('node:path')
const { promisify } = require('node:util')

const inFolder = (name) => join(__dirname, name)
const write = (name, value) => writeFileSync(inFolder(name), JSON.stringify(value))
const execFile = promisify(childProcess.execFile)
// pdf-to-printer asks for it as a promise.
childProcess.execFile = Object.assign(() => undefined, {
  [promisify.custom](program, parameters, ...options) {
    write('started.json', { program, parameters })
    return execFile(program, parameters, ...options)
  },
})

const { print } = createRequire('Z:\\opt\\packbench\\')('pdf-to-printer')
print(inFolder('label.pdf'), JSON.parse(readFileSync(inFolder('options.json'), 'utf8'))).then(
  () => write('answer.json', { error: null }),
  ({ message, code = null, stdout = null }) => write('answer.json', { error: { message, code, stdout } }),
)
