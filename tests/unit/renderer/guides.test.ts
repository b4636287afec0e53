import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lexer, type Token, walkTokens } from 'marked'
import { describe, expect, it } from 'vitest'
import { repoDir } from '../../../build/paths.mjs'
import * as en from '../../../src/locales/en'
import * as nl from '../../../src/locales/nl'
import { isShown, readSections } from '../../../src/renderer/features/help/markdown'
import {
  findPicture,
  type HelpPage,
  readHelpPages,
  resolveLink,
} from '../../../src/renderer/features/help/pages'
import { settingsTabs } from '../../../src/renderer/ui/navigation'

/** All texts of a language. */
function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(listTexts)
}

function listTokens({ sections }: Pick<HelpPage, 'sections'>): Token[] {
  const found: Token[] = []
  walkTokens(
    sections.flatMap(({ tokens }) => tokens),
    (token) => void found.push(token),
  )
  return found
}

/** Keys that the guides may name: those in the app's list of shortcuts, and those of every list or field. */
const knownKeys = /^(F[1-9]|Enter|Ctrl\+([0-9AV]|\+|−))$/
const looksLikeKey = /^(F\d+|Enter|Esc|Tab|(Ctrl|Shift|Alt)\+.+)$/

describe.each([
  ['en', en],
  ['nl', nl],
] as const)('the guides (%s)', (language, words) => {
  const pages = readHelpPages(language)
  const guides = pages.filter(({ kind }) => kind === 'guide')
  // The guides omit the count after the name of a list.
  const shown = new Set(listTexts(words).map((text) => text.replace(/ \(\{\{count\}\}\)$/, '')))

  it('exist, each with its own heading', () => {
    for (const page of pages) {
      expect(page.sections.length, page.path).toBeGreaterThan(0)
      expect(page.title).not.toBe(page.name)
    }
  })

  it('name buttons, fields and screens in bold exactly as the app does', () => {
    const unknown = guides.flatMap((page) =>
      listTokens(page).flatMap((token) =>
        token.type === 'strong' && !shown.has(token.text.replaceAll(/\s+/g, ' '))
          ? [`${page.path}: ${token.text}`]
          : [],
      ),
    )
    expect(unknown).toEqual([])
  })

  it('quote messages as the app says them, with «…» for what differs', () => {
    const said = listTexts(words).map((text) => text.replaceAll(/\{\{\w+\}\}/g, '…'))
    const unknown = guides.flatMap((page) =>
      listTokens(page).flatMap((token) =>
        token.type === 'text' && 'text' in token
          ? [...String(token.text).matchAll(/«(.+?)»/g)].flatMap(([, quoted = '']) =>
              said.some((text) => text.includes(quoted)) ? [] : [`${page.path}: ${quoted}`],
            )
          : [],
      ),
    )
    expect(unknown).toEqual([])
  })

  it('name every tab of the settings, in the order of the screen', () => {
    const sections = guides.flatMap((page) => page.sections)
    const inBold = sections.map((section) =>
      listTokens({ sections: [section] }).flatMap((token) => (token.type === 'strong' ? [token.text] : [])),
    )
    expect(inBold).toContainEqual(settingsTabs.map((tab) => words.settings[tab]))
  })

  it('name only keys that have an effect', () => {
    const unknown = guides.flatMap((page) =>
      listTokens(page).flatMap((token) =>
        token.type === 'codespan' && looksLikeKey.test(token.text) && !knownKeys.test(token.text)
          ? [`${page.path}: ${token.text}`]
          : [],
      ),
    )
    expect(unknown).toEqual([])
  })

  it('contain no dead link and no missing picture', () => {
    const broken = pages.flatMap((page) =>
      listTokens(page).flatMap((token) => {
        if (token.type === 'image')
          return findPicture(page.path, token.href) === undefined ? [token.href] : []
        if (token.type !== 'link' || /^https?:/.test(token.href)) return []
        const { path, anchor } = resolveLink(page.path, token.href)
        const target = pages.find((each) => each.path === path)
        // Links of other pages that leave the help are plain text there: «the documents» below checks them.
        if (target === undefined) return page.kind === 'guide' ? [`${page.path}: ${token.href}`] : []
        const isThere = anchor === '' || target.sections.some((section) => section.anchor === anchor)
        return isThere ? [] : [`${page.path}: ${token.href}`]
      }),
    )
    expect(broken).toEqual([])
  })

  it('contain the section that F1 opens on each screen', () => {
    const missing = Object.values(words.help.places).filter((place) => {
      const [name, anchor] = place.split('#')
      const page = pages.find((each) => each.name === name)
      return !page || (anchor !== '' && !page.sections.some((section) => section.anchor === anchor))
    })
    expect(missing).toEqual([])
  })

  it('contain nothing that the help can’t render', () => {
    const hidden = pages.flatMap((page) => listTokens(page).filter((token) => !isShown(token)))
    expect(hidden.map(({ type, raw }) => `${type}: ${raw}`)).toEqual([])
  })
})

/** The texts of all documents, by path from the repository's folder. */
async function readDocuments(): Promise<Map<string, string>> {
  const below = await readdir(join(repoDir, 'docs'), { recursive: true })
  const paths = [
    ...(await readdir(repoDir)),
    ...below.map((name) => `docs/${name.replaceAll('\\', '/')}`),
  ].filter((path) => path.endsWith('.md'))
  const documents = new Map<string, string>()
  for (const path of paths) documents.set(path, await readFile(join(repoDir, path), 'utf8'))
  return documents
}

describe('the documents', () => {
  it('contain no markers of a merge', async () => {
    const marked = [...(await readDocuments())].filter(([, text]) => /^(<{7}|={7}|>{7})( |$)/m.test(text))
    expect(marked.map(([path]) => path)).toEqual([])
  })

  it('link only to files and headings that exist', async () => {
    const pages = await readDocuments()
    const broken: string[] = []
    for (const [path, text] of pages) {
      walkTokens(lexer(text), (token) => {
        if (token.type !== 'link' && token.type !== 'image') return
        if (/^[a-z]+:/.test(token.href)) return
        const { path: target, anchor } = resolveLink(path, token.href)
        const page = pages.get(target)
        const isThere =
          page === undefined || anchor === ''
            ? existsSync(join(repoDir, target))
            : readSections(page).some((section) => section.anchor === anchor)
        if (!isThere) broken.push(`${path}: ${token.href}`)
      })
    }
    expect(broken).toEqual([])
  })
})

describe('a help page', () => {
  it('is split at its headings, with the anchors that links use', () => {
    const sections = readSections('# One\n\nText **bold**\n\n## Not «two», too\n\nMore')
    expect(sections.map(({ anchor, depth, words }) => ({ anchor, depth, words }))).toEqual([
      { anchor: 'one', depth: 1, words: 'one text bold' },
      { anchor: 'not-two-too', depth: 2, words: 'not two too more' },
    ])
  })

  it('renders no HTML', () => {
    const [section] = readSections('<script>alert(1)</script>\n\nText <b>bold</b>')
    const shown = section?.tokens.map(({ type }) => type)
    expect(shown).toEqual(['space', 'paragraph'])
    expect(section?.words).not.toContain('script')
  })
})
