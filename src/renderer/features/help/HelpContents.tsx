import { Box, Flex } from '@mantine/core'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { languageSchema } from '../../../shared/fields'
import { foldWords } from '../../../shared/foldText'
import { useBridgeQuery } from '../../bridge'
import { TextField } from '../../ui/TextField'
import { Article } from './Article'
import styles from './help.module.css'
import { type HelpPage, type HelpPlace, readHelpPages } from './pages'

/** Parts of the help that are not pages of the guides. */
type Part = 'keys' | 'licences'

/** The shown page and the position in it. */
interface Shown {
  path: string
  anchor: string
}

/**
 * The pages of the help, one of them shown, and a search over all of them.
 * @param place the screen whose page is shown first
 */
export function HelpContents({ place }: { place: HelpPlace }) {
  const { t, i18n } = useTranslation()
  const language = languageSchema.catch('en').parse(i18n.language)
  const pages = useMemo(() => readHelpPages(language), [language])
  const [name = '', start = ''] = t(`help.places.${place}`).split('#')
  const first = pages.find((page) => page.name === name)
  const [shown, setShown] = useState<Shown>({ path: first?.path ?? 'keys', anchor: start })
  const [query, setQuery] = useState('')
  const contents = useRef<HTMLDivElement>(null)
  const isSearching = query.trim() !== ''
  const page = pages.find(({ path }) => path === shown.path)
  const show = (next: Shown) => {
    setQuery('')
    setShown(next)
  }
  useEffect(() => {
    // Typing in the search keeps the focus.
    if (isSearching) return
    const heading =
      shown.anchor === ''
        ? null
        : contents.current?.querySelector<HTMLElement>(`#help-${CSS.escape(shown.anchor)}`)
    const target = heading ?? contents.current
    target?.focus({ preventScroll: true })
    target?.scrollIntoView()
  }, [shown, isSearching])
  return (
    <div className={styles.help}>
      <Box p="5px 10px 5px 14px">
        <TextField
          type="search"
          label={t('help.search')}
          placeholder={t('help.searchHint')}
          title={t('help.searchHint')}
          value={query}
          onChange={setQuery}
        />
        <Flex aria-label={t('help.pages')} component="nav" direction="column" gap={4}>
          <PageList title={t('help.guides')} pages={pages} kind="guide" shown={shown} onShow={show} />
          <PartButton part="keys" shown={shown} onShow={show} />
          <PageList title={t('help.reference')} pages={pages} kind="reference" shown={shown} onShow={show} />
          <PartButton part="licences" shown={shown} onShow={show} />
        </Flex>
      </Box>
      <div
        className={styles.contents}
        ref={contents}
        tabIndex={-1}
        data-autofocus={shown.anchor === '' || undefined}
      >
        {isSearching ? (
          <SearchResults pages={pages} query={query} onShow={show} />
        ) : shown.path === 'licences' ? (
          <Licences />
        ) : page === undefined ? (
          <KeyList />
        ) : (
          <Article
            path={page.path}
            lang={page.language}
            sections={page.sections}
            anchor={shown.anchor}
            isPage={(path) => pages.some((each) => each.path === path)}
            onFollow={(path, anchor) => show({ path, anchor })}
          />
        )}
      </div>
    </div>
  )
}

interface PartButtonProps {
  part: Part
  shown: Shown
  onShow: (shown: Shown) => void
}

function PartButton({ part, shown, onShow }: PartButtonProps) {
  const { t } = useTranslation()
  return (
    <button
      type="button"
      className={styles.page}
      aria-current={shown.path === part ? 'page' : undefined}
      onClick={() => onShow({ path: part, anchor: '' })}
    >
      {t(`help.${part}`)}
    </button>
  )
}

/** The licences of the shipped packages. */
function Licences() {
  const { t } = useTranslation()
  const { data: licences } = useBridgeQuery('getLicences', undefined)
  return (
    <article className={styles.article}>
      <h3>{t('help.licences')}</h3>
      <p>{t('help.licencesIntro')}</p>
      {licences === null ? <p>{t('help.licencesElsewhere')}</p> : <pre>{licences}</pre>}
    </article>
  )
}

interface PageListProps {
  title: string
  pages: readonly HelpPage[]
  kind: HelpPage['kind']
  shown: Shown
  onShow: (shown: Shown) => void
}

function PageList({ title, pages, kind, shown, onShow }: PageListProps) {
  return (
    <>
      <Box component="h3" m="14px 0 2px" fz={15} fw={650} c="dimmed">
        {title}
      </Box>
      {pages
        .filter((page) => page.kind === kind)
        .map((page) => (
          <button
            key={page.path}
            type="button"
            className={styles.page}
            lang={page.language}
            aria-current={page.path === shown.path ? 'page' : undefined}
            onClick={() => onShow({ path: page.path, anchor: '' })}
          >
            {page.title}
          </button>
        ))}
    </>
  )
}

/** Sections that contain all words of a query; matches in the title come first. */
function findSections(pages: readonly HelpPage[], query: string) {
  const wanted = foldWords(query)
  const hasAll = (words: string) => wanted.every((word) => words.includes(word))
  return pages
    .flatMap((page) => page.sections.map((section) => ({ page, section })))
    .filter(({ section }) => hasAll(section.words))
    .toSorted(
      (one, other) =>
        Number(hasAll(foldWords(other.section.title).join(' '))) -
        Number(hasAll(foldWords(one.section.title).join(' '))),
    )
}

interface SearchResultsProps {
  pages: readonly HelpPage[]
  query: string
  onShow: (shown: Shown) => void
}

function SearchResults({ pages, query, onShow }: SearchResultsProps) {
  const { t } = useTranslation()
  const found = findSections(pages, query)
  return (
    <>
      <p role="status">
        {found.length === 0 ? t('help.nothingFound') : t('help.found', { count: found.length })}
      </p>
      <Box component="ul" m="8px 0 0">
        {found.map(({ page, section }) => (
          <li key={`${page.path}#${section.anchor}`}>
            <button
              type="button"
              className={styles.finding}
              onClick={() => onShow({ path: page.path, anchor: section.anchor })}
            >
              <strong>{section.title}</strong> {t('help.inPage', { page: page.title })}
            </button>
          </li>
        ))}
      </Box>
    </>
  )
}

function KeyList() {
  const { t } = useTranslation()
  const keys: [string[], string][] = [
    [['F9'], t('ship.createAndPrint')],
    [['F8'], t('shortcuts.reprintLast')],
    [['F2'], t('shortcuts.focusReference')],
    [['F3'], t('nav.orders')],
    [['F6'], t('shortcuts.operator')],
    [['Enter'], t('shortcuts.next')],
    [['Ctrl', '1–6'], t('shortcuts.screens')],
    [['↑', '↓'], t('shortcuts.list')],
    [['Ctrl', '+', '−', '0'], t('shortcuts.zoom')],
    [['F1'], t('shortcuts.help')],
  ]
  return (
    <>
      <h3>{t('shortcuts.title')}</h3>
      <Flex component="dl" direction="column" maw={560}>
        {keys.map(([combination, meaning]) => (
          <div key={meaning} className={styles.keyRow}>
            <dt>
              {combination.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </Flex>
    </>
  )
}
