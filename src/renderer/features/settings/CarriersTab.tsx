import { Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { FormField } from '../../ui/FormField'
import { AddButton, RemoveButton } from '../../ui/RowButtons'
import { useRowFocus } from '../../ui/useRowFocus'
import { withKey } from './form'
import styles from './settings.module.css'
import { SaveBar, useTab } from './tabForm'

/** The account's carrier options, with the names that operators use. */
export function CarriersTab() {
  const { t } = useTranslation()
  return (
    <div className={styles.wide}>
      <p>{t('carriersTab.intro')}</p>
      <CarriersEditor />
      <SaveBar tab={useTab('carriers')} />
    </div>
  )
}

/** The table of carrier options, without the save button. */
export function CarriersEditor() {
  const { t } = useTranslation()
  const { form } = useTab('carriers')
  const { carriers } = form.values
  const add = () => form.insertListItem('carriers', withKey({ name: '', carrierId: '', carrierOptionId: '' }))
  const holder = useRowFocus<HTMLDivElement>(carriers.map((row) => row.key))
  return (
    <Stack gap={12} ref={holder}>
      {carriers.length === 0 ? (
        <p className="pb-soft">{t('carriersTab.empty')}</p>
      ) : (
        <table className={`${styles.table} ${styles.carriers}`}>
          <caption className="pb-unseen">{t('carriersTab.caption')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('carriersTab.name')}</th>
              <th scope="col">{t('carriersTab.carrierId')}</th>
              <th scope="col">{t('carriersTab.carrierOptionId')}</th>
              <td className={styles.actionColumn} />
            </tr>
          </thead>
          <tbody>
            {carriers.map(({ key, name }, index) => (
              <tr key={key} data-row>
                {(['name', 'carrierId', 'carrierOptionId'] as const).map((field) => (
                  <td key={field}>
                    <FormField
                      {...form.getInputProps(`carriers.${index}.${field}`)}
                      nameInError={t(`carriersTab.${field}`)}
                      aria-label={t('carriersTab.rowField', {
                        field: t(`carriersTab.${field}`),
                        row: index + 1,
                      })}
                      numeric={field === 'name' ? undefined : 'whole'}
                    />
                  </td>
                ))}
                <td>
                  <RemoveButton
                    label={t('carriersTab.removeRow', {
                      name: name || t('carriersTab.unnamed', { row: index + 1 }),
                    })}
                    onClick={() => form.removeListItem('carriers', index)}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div>
        <AddButton onClick={add}>{t('carriersTab.add')}</AddButton>
      </div>
    </Stack>
  )
}
