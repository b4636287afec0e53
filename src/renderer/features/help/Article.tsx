import type { MarkedToken, Token, Tokens } from 'marked'
import { createContext, Fragment, type ReactNode, useContext } from 'react'
import styles from './help.module.css'
import { type HelpSection, isShown } from './markdown'
import { findPicture, resolveLink } from './pages'

interface ArticleProps {
  /** Path below docs; links of the page are relative to it. */
  path: string
  lang: string
  sections: readonly HelpSection[]
  /** Heading that gets the focus when the dialog opens. */
  anchor: string
  /** Whether the help has a page at a path below docs. */
  isPage: (path: string) => boolean
  onFollow: (path: string, anchor: string) => void
}

type Place = Pick<ArticleProps, 'path' | 'isPage' | 'onFollow'>

const PlaceContext = createContext<Place>({ path: '', isPage: () => false, onFollow: () => undefined })

export function Article({ path, lang, sections, anchor: focusedAnchor, isPage, onFollow }: ArticleProps) {
  return (
    <PlaceContext value={{ path, isPage, onFollow }}>
      <article className={styles.article} lang={lang}>
        {sections.map(({ anchor, title, depth, tokens }) => (
          <Fragment key={anchor}>
            {title === '' ? null : (
              <Heading anchor={anchor} title={title} depth={depth} isFocused={anchor === focusedAnchor} />
            )}
            <Blocks tokens={tokens} />
          </Fragment>
        ))}
      </article>
    </PlaceContext>
  )
}

interface HeadingProps {
  anchor: string
  title: string
  depth: number
  isFocused: boolean
}

/** Heading levels start below the dialog's own heading. */
function Heading({ anchor, title, depth, isFocused }: HeadingProps) {
  const shared = {
    id: `help-${anchor}`,
    tabIndex: -1,
    children: title,
    'data-autofocus': isFocused || undefined,
  }
  if (depth === 1) return <h3 {...shared} />
  if (depth === 2) return <h4 {...shared} />
  return <h5 {...shared} />
}

function Blocks({ tokens }: { tokens: readonly Token[] }): ReactNode {
  return tokens.map((token, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change while it is shown
    isShown(token) ? <Block key={index} token={token} /> : null,
  )
}

function Block({ token }: { token: MarkedToken }): ReactNode {
  switch (token.type) {
    case 'paragraph':
      return <p>{<Inlines tokens={token.tokens} />}</p>
    case 'list':
      return <List list={token} />
    case 'table':
      return <Table table={token} />
    case 'code':
      return <pre>{token.text}</pre>
    case 'blockquote':
      return <blockquote>{<Blocks tokens={token.tokens} />}</blockquote>
    case 'hr':
      return <hr />
    case 'space':
      return null
    default:
      return <Inline token={token} />
  }
}

function List({ list: { ordered, items } }: { list: Tokens.List }) {
  const entries = items.map(({ tokens, raw }) => (
    <li key={raw}>
      <Blocks tokens={tokens} />
    </li>
  ))
  return ordered ? <ol>{entries}</ol> : <ul>{entries}</ul>
}

function Table({ table: { header, rows } }: { table: Tokens.Table }) {
  return (
    <table>
      <thead>
        <tr>
          {header.map(({ text, tokens }) => (
            <th key={text} scope="col">
              <Inlines tokens={tokens} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.map(({ text }) => text).join('|')}>
            {row.map(({ tokens }, column) => (
              <td key={header[column]?.text}>
                <Inlines tokens={tokens} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Inlines({ tokens }: { tokens: readonly Token[] }): ReactNode {
  return tokens.map((token, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change while it is shown
    isShown(token) ? <Inline key={index} token={token} /> : null,
  )
}

/** Names of keys, alone or in combination: `F9`, `Ctrl+V`. */
const keyNames = /^((Ctrl|Shift|Alt)\+)?(F\d+|Enter|Esc|Tab|[A-Z0-9+−]|↑|↓)$/

function Inline({ token }: { token: MarkedToken }): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{<Inlines tokens={token.tokens} />}</strong>
    case 'em':
      return <em>{<Inlines tokens={token.tokens} />}</em>
    case 'codespan':
      return keyNames.test(token.text) ? <kbd>{token.text}</kbd> : <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return <Link link={token} />
    case 'image':
      return <Picture image={token} />
    case 'text':
      return token.tokens ? <Inlines tokens={token.tokens} /> : token.text
    case 'escape':
      return token.text
    default:
      return null
  }
}

/** SECURITY: links only to other pages of the help; any other link is rendered as plain text. */
function Link({ link: { href, tokens } }: { link: Tokens.Link }) {
  const { path: from, isPage, onFollow } = useContext(PlaceContext)
  const { path, anchor } = resolveLink(from, href)
  const isInside = !/^[a-z]+:/i.test(href) && isPage(path)
  if (!isInside) return <Inlines tokens={tokens} />
  return (
    <button type="button" className={styles.link} onClick={() => onFollow(path, anchor)}>
      <Inlines tokens={tokens} />
    </button>
  )
}

function Picture({ image: { href, text } }: { image: Tokens.Image }) {
  const { path } = useContext(PlaceContext)
  const source = findPicture(path, href)
  return source === undefined ? null : <img src={source} alt={text} />
}
