import { ActionIcon, Button, Group, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconFileImport, IconTrash } from '@tabler/icons-react'
import { keepPreviousData, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CatalogueImport, Product } from '../../../../shared/customs'
import type { AppError } from '../../../../shared/errors'
import { maxTableMegabytes } from '../../../../shared/inputIssues'
import { queryKey, useBridgeMutation, useBridgeQuery } from '../../../bridge'
import { Callout, ErrorCallout } from '../../../ui/Callout'
import { FileChoice, readChosen } from '../../../ui/FileChoice'
import { Panel } from '../../../ui/Panel'
import { TextField } from '../../../ui/TextField'
import { useRowFocus } from '../../../ui/useRowFocus'
import styles from '../settings.module.css'

const productsShown = 100
const maxIssuesShown = 10

/** The product catalogue: import from files, search, remove. */
export function Catalogue() {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const [wanted] = useDebouncedValue(text, 150)
  const search = { text: wanted, limit: productsShown, offset: 0 }
  const client = useQueryClient()
  const searchAgain = () => client.invalidateQueries({ queryKey: queryKey('searchProducts') })
  // The previous results stay visible until the next ones arrive.
  const found = useBridgeQuery('searchProducts', search, { placeholderData: keepPreviousData })
  const [unreadable, setUnreadable] = useState<AppError | null>(null)
  const [isReading, setIsReading] = useState(false)
  const imports = useBridgeMutation('importProducts', { onSettled: searchAgain })
  const removal = useBridgeMutation('removeProduct', { onSettled: searchAgain })
  const save = useBridgeMutation('saveCatalogue')
  const { products, total } = found.data ?? { products: [], total: 0 }
  const error = unreadable ?? imports.error ?? removal.error ?? save.error ?? found.error

  const importFile = async (file: File) => {
    for (const each of [imports, removal, save]) each.reset()
    setIsReading(true)
    const read = await readChosen(file, maxTableMegabytes, 'table-unreadable')
    setIsReading(false)
    setUnreadable(read.ok ? null : read.error)
    if (read.ok) imports.mutate({ fileName: file.name, bytes: read.value })
  }

  return (
    <Panel title={t('customs.catalogue')}>
      <Stack gap={12}>
        <p className="pb-soft">{t('customs.catalogueHint')}</p>
        <Group align="stretch" gap={10}>
          <FileChoice
            label={t('customs.importCatalogue')}
            accept=".csv,.txt,.xlsx"
            variant="default"
            disabled={isReading || imports.isPending}
            leftSection={<IconFileImport size={20} aria-hidden />}
            onFile={(file) => void importFile(file)}
          />
          <Button variant="default" onClick={() => save.mutate({ kind: 'csv' })}>
            {t('common.saveCsv')}
          </Button>
          <Button variant="default" onClick={() => save.mutate({ kind: 'xlsx' })}>
            {t('common.saveXlsx')}
          </Button>
        </Group>
        <ErrorCallout error={error} />
        {imports.data ? <Imported outcome={imports.data} /> : null}
        <TextField label={t('customs.search')} value={text} onChange={setText} />
        <p role="status">{t('customs.products', { count: total })}</p>
        {products.length === 0 ? (
          <p className="pb-soft">{t('customs.noProducts')}</p>
        ) : (
          <Products products={products} onRemove={(code) => removal.mutate({ code })} />
        )}
      </Stack>
    </Panel>
  )
}

function Imported({ outcome }: { outcome: CatalogueImport }) {
  const { t } = useTranslation()
  const { added, changed, issues, linesLeftOut, codeNumbers, missingColumns } = outcome
  const isPartial = linesLeftOut > 0 || codeNumbers > 0 || missingColumns.length > 0
  return (
    <Callout tone={isPartial ? 'attention' : 'good'}>
      <p>{t('customs.imported', { added, changed, issues: linesLeftOut })}</p>
      {codeNumbers > 0 ? <p>{t('customs.importCodes', { count: codeNumbers })}</p> : null}
      {missingColumns.length > 0 ? (
        <p>{t('customs.importColumns', { columns: missingColumns.join(', ') })}</p>
      ) : null}
      <ul>
        {issues.slice(0, maxIssuesShown).map(({ line, column, code }) => (
          <li key={`${line} ${column}`}>
            {t('customs.importIssue', { line, column, problem: t(`customs.problem.${code}`) })}
          </li>
        ))}
      </ul>
    </Callout>
  )
}

function Products({
  products,
  onRemove,
}: {
  products: readonly Product[]
  onRemove: (code: string) => void
}) {
  const { t } = useTranslation()
  const holder = useRowFocus<HTMLDivElement>(products.map(({ code }) => code))
  return (
    <div className={styles.products} ref={holder}>
      <table aria-label={t('customs.catalogue')}>
        <thead>
          <tr>
            {(['code', 'product', 'hsCode', 'origin', 'weight', 'price'] as const).map((name) => (
              <th key={name} scope="col">
                {t(`customs.${name}`)}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {products.map((product) => (
            <tr key={product.code} data-row>
              <th scope="row">{product.code}</th>
              <td>{product.name}</td>
              <td>{product.hsCode}</td>
              <td>{product.countryOfOrigin}</td>
              <td>{product.weight}</td>
              <td>{product.price}</td>
              <td>
                <ActionIcon
                  aria-label={t('customs.removeProduct', { code: product.code })}
                  onClick={() => onRemove(product.code)}
                >
                  <IconTrash size={20} aria-hidden />
                </ActionIcon>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
