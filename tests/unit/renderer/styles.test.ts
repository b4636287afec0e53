import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve('src/renderer')
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name))
const sources = files.filter((file) => /\.tsx?$/.test(file)).map((file) => [file, readFileSync(file, 'utf8')])
const sheets = files.filter((file) => file.endsWith('.module.css'))

function listClasses(sheet: string): string[] {
  const selectors = readFileSync(sheet, 'utf8')
    .replace(/\/\*.*?\*\/|"[^"]*"|:global\([^)]*\)/gs, '')
    .replace(/\{[^{}]*\}/g, '')
  return [...new Set([...selectors.matchAll(/\.([a-zA-Z][\w-]*)/g)].map(([, name = '']) => name))].sort()
}

/** The classes of a sheet that screens and other style sheets use; «any» if they look classes up by name. */
function listUses(sheet: string): string[] {
  const uses = sources.flatMap(([file = '', text = '']) => {
    const imported = [...text.matchAll(/import (\w+) from '([^']+\.module\.css)'/g)]
    const [, name] = imported.find(([, , path = '']) => resolve(dirname(file), path) === sheet) ?? []
    if (name === undefined) return []
    if (text.includes(`${name}[`)) return ['any']
    return [...text.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))].map(([, used = '']) => used)
  })
  const composed = sheets.flatMap((other) =>
    [...readFileSync(other, 'utf8').matchAll(/composes: (\w+) from "([^"]+)"/g)]
      .filter(([, , path = '']) => resolve(dirname(other), path) === sheet)
      .map(([, used = '']) => used),
  )
  return [...new Set([...uses, ...composed])].sort()
}

describe('style sheets', () => {
  it.each(sheets.map((sheet) => [sheet.slice(root.length + 1), sheet]))(
    '%s defines exactly the classes that are used',
    (_, sheet) => {
      const uses = listUses(sheet)
      expect(uses).not.toEqual([])
      if (!uses.includes('any')) expect(listClasses(sheet)).toEqual(uses)
    },
  )
})
