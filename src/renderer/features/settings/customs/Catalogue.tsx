import { ActionIcon, Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconFileImport, IconTrash } from '@tabler/icons-react'
import { useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CatalogueImport, Product } from '../../../../shared/customs'
import type { AppError } from '../../../../shared/errors'
import { maxTableMegabytes } from '../../../../shared/fileFaults'
import { toResult } from '../../../bridge'
import { Callout, ErrorCallout } from '../../../ui/Callout'
import { readChosen } from '../../../ui/chosenFile'
import { FileChoice } from '../../../ui/FileChoice'
import { Panel } from '../../../ui/Panel'
import { TextField } from '../../../ui/TextField'
import { useRowFocus } from '../../../ui/useRowFocus'
import styles from '../settings.module.css'

const productsShown = 100
const faultsShown = 10

/** The products: brought in from files, looked through, taken out. */
export function Catalogue() {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const [wanted] = useDebouncedValue(text, 150)
  const [found, setFound] = useState<{ products: Product[]; total: number }>({ products: [], total: 0 })
  const [imported, setImported] = useState<CatalogueImport | null>(null)
  const [error, setError] = useState<AppError | null>(null)

  const load = useCallback(async () => {
    const search = { text: wanted, limit: productsShown, offset: 0 }
    const result = await toResult(window.packbench.searchProducts(search))
    if (result.ok) setFound(result.value)
    else setError(result.error)
  }, [wanted])
  useEffect(() => {
    void load()
  }, [load])

  const importFile = async (file: File) => {
    const read = await readChosen(file, maxTableMegabytes, 'table-unreadable')
    const result = read.ok
      ? await toResult(window.packbench.importProducts({ fileName: file.name, bytes: read.value }))
      : read
    setError(result.ok ? null : result.error)
    setImported(result.ok ? result.value : null)
    await load()
  }
  const remove = async (code: string) => {
    const result = await toResult(window.packbench.removeProduct({ code }))
    setError(result.ok ? null : result.error)
    await load()
  }
  const save = async (kind: 'csv' | 'xlsx') => {
    const result = await toResult(window.packbench.saveCatalogue({ kind }))
    setError(result.ok ? null : result.error)
  }

  return (
    <Panel title={t('customs.catalogue')}>
      <div className={styles.editor}>
        <p className="pb-soft">{t('customs.catalogueHint')}</p>
        <div className={styles.moves}>
          <FileChoice
            label={t('customs.importCatalogue')}
            accept=".csv,.txt,.xlsx"
            variant="default"
            leftSection={<IconFileImport size={20} aria-hidden />}
            onFile={(file) => void importFile(file)}
          />
          <Button variant="default" onClick={() => void save('csv')}>
            {t('customs.exportCsv')}
          </Button>
          <Button variant="default" onClick={() => void save('xlsx')}>
            {t('customs.exportXlsx')}
          </Button>
        </div>
        {error ? <ErrorCallout error={error} /> : null}
        {imported ? <Imported outcome={imported} /> : null}
        <TextField label={t('customs.search')} value={text} onChange={setText} />
        <p role="status">{t('customs.products', { count: found.total })}</p>
        {found.products.length === 0 ? (
          <p className="pb-soft">{t('customs.noProducts')}</p>
        ) : (
          <Products products={found.products} onRemove={(code) => void remove(code)} />
        )}
      </div>
    </Panel>
  )
}

function Imported({ outcome }: { outcome: CatalogueImport }) {
  const { t } = useTranslation()
  const { added, changed, faults, linesLeftOut, hsNumbers } = outcome
  return (
    <Callout tone={linesLeftOut > 0 || hsNumbers > 0 ? 'attention' : 'good'}>
      <p>{t('customs.imported', { added, changed, faults: linesLeftOut })}</p>
      {hsNumbers > 0 ? <p>{t('customs.importHs', { count: hsNumbers })}</p> : null}
      <ul>
        {faults.slice(0, faultsShown).map(({ line, column, code }) => (
          <li key={`${line} ${column}`}>
            {t('customs.importFault', { line, column, problem: t(`customs.problem.${code}`) })}
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
