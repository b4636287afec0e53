import { lexer, type MarkedToken, type Token } from 'marked'
import { foldWords } from '../../../shared/foldText'

/** A part of a page from one heading to the next. */
export interface HelpSection {
  /** The anchor in links; empty before the first heading. */
  anchor: string
  title: string
  /** 1 for the page's own heading. */
  depth: number
  tokens: MarkedToken[]
  /** Search text: folded words of title and content. */
  words: string
}

const shownTypes: ReadonlySet<string> = new Set<MarkedToken['type']>([
  'blockquote',
  'br',
  'code',
  'codespan',
  'del',
  'em',
  'escape',
  'heading',
  'hr',
  'image',
  'link',
  'list',
  'list_item',
  'paragraph',
  'space',
  'strong',
  'table',
  'text',
])

/**
 * Whether the help renders a token. SECURITY: HTML tokens are excluded, and no content of a page is ever set as HTML.
 */
export function isShown(token: Token): token is MarkedToken {
  return shownTypes.has(token.type)
}

/** The anchor of a heading, by GitHub's rules. */
function toAnchor(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

/** Splits a page into sections. */
export function readSections(markdown: string): HelpSection[] {
  const sections: HelpSection[] = []
  for (const token of lexer(markdown)) {
    if (!isShown(token)) continue
    if (token.type === 'heading') {
      const title = toPlainText(token.tokens)
      sections.push({ anchor: toAnchor(title), title, depth: token.depth, tokens: [], words: '' })
    } else {
      if (sections.length === 0) sections.push({ anchor: '', title: '', depth: 1, tokens: [], words: '' })
      sections.at(-1)?.tokens.push(token)
    }
  }
  return sections.map((section) => ({
    ...section,
    words: foldWords(`${section.title} ${section.tokens.map(({ raw }) => raw).join(' ')}`).join(' '),
  }))
}

/** Text of inline tokens without formatting. */
function toPlainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      'tokens' in token && token.tokens ? toPlainText(token.tokens) : 'text' in token ? token.text : '',
    )
    .join('')
}
