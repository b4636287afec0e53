import { Modal } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useNavigation } from '../ui/navigation'
import styles from './app.module.css'

/** The dialog that lists the keys. */
export function ShortcutHelp() {
  const { t } = useTranslation()
  const open = useNavigation((state) => state.helpOpen)
  const showHelp = useNavigation((state) => state.showHelp)
  const keys: [string[], string][] = [
    [['F9'], t('shortcuts.createAndPrint')],
    [['F8'], t('shortcuts.reprintLast')],
    [['F2'], t('shortcuts.focusReference')],
    [['F3'], t('shortcuts.orders')],
    [['F6'], t('shortcuts.operator')],
    [['Enter'], t('shortcuts.next')],
    [['Ctrl', '1–6'], t('shortcuts.screens')],
    [['↑', '↓'], t('shortcuts.list')],
    [['Ctrl', '+', '−', '0'], t('shortcuts.zoom')],
    [['F1'], t('shortcuts.help')],
  ]
  return (
    <Modal
      opened={open}
      onClose={() => showHelp(false)}
      title={t('shortcuts.title')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <dl className={styles.keys}>
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
      </dl>
    </Modal>
  )
}
