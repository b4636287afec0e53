import type { Language } from '../../../shared/fields'
import type { Screen } from '../../ui/navigation'
import { type HelpSection, readSections } from './markdown'

const guides = ['operator', 'administrator', 'troubleshooting'] as const

/** Pages in English only, in the order of the list. */
const references = [
  'printers',
  'scanning',
  'orders',
  'hot-folder',
  'history',
  'tracking',
  'manifests',
  'people',
  'fleet',
  'network',
  'connections',
  'provisioning',
  'backup',
  'packages',
  'updates',
] as const

const texts = import.meta.glob<string>(
  [
    '../../../../docs/*.md',
    '!../../../../docs/{figures,performance,reliability,threat-model,windows-printing}.md',
    '../../../../docs/guides/*/*.md',
  ],
  { query: '?raw', import: 'default', eager: true },
)

const pictures = import.meta.glob<string>('../../../../docs/guides/images/*.png', {
  query: '?url',
  import: 'default',
  eager: true,
})

/** What F1 was pressed on. */
export type HelpPlace = Screen | 'setup' | 'startError'

export interface HelpPage {
  /** The name that screens use, e.g. `operator` or `hot-folder`. */
  name: string
  kind: 'guide' | 'reference'
  /** Path below docs, e.g. `guides/nl/operator.md`. */
  path: string
  language: Language
  title: string
  sections: HelpSection[]
}

/** The guides in the given language, then the reference pages. */
export function readHelpPages(language: Language): HelpPage[] {
  return [
    ...guides.map((name) => readPage(name, 'guide', `guides/${language}/${name}.md`, language)),
    ...references.map((name) => readPage(name, 'reference', `${name}.md`, 'en')),
  ]
}

function readPage(name: string, kind: HelpPage['kind'], path: string, language: Language): HelpPage {
  const sections = readSections(texts[`../../../../docs/${path}`] ?? '')
  return { name, kind, path, language, title: sections[0]?.title ?? name, sections }
}

/**
 * The URL of a page's picture.
 * @param from path of the page below docs
 * @param href the picture's address in the page
 */
export function findPicture(from: string, href: string): string | undefined {
  return pictures[`../../../../docs/${resolveLink(from, href).path}`]
}

/**
 * Resolves a link of a page.
 * @param from path of the page below docs
 * @returns path below docs, and the anchor, which may be empty
 */
export function resolveLink(from: string, href: string): { path: string; anchor: string } {
  const { pathname, hash } = new URL(href, `http://docs/${from}`)
  return { path: pathname.slice(1), anchor: decodeURIComponent(hash.slice(1)) }
}
