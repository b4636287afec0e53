import { Flex } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import styles from './help.module.css'

/** What the keys do. */
export function KeyList() {
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
