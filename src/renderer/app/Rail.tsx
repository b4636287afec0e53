import {
  IconHelpCircle,
  IconHistory,
  IconListCheck,
  IconPackageExport,
  IconPlaneDeparture,
  IconPrinter,
  IconRoute,
  IconSettings,
  IconVolume,
  IconVolumeOff,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Logo } from '../ui/Logo'
import { type Screen, screens, useNavigation } from '../ui/navigation'
import { useSound } from '../ui/sounds'
import styles from './app.module.css'

const icons = {
  ship: IconPackageExport,
  orders: IconListCheck,
  track: IconRoute,
  history: IconHistory,
  queue: IconPrinter,
  manifests: IconPlaneDeparture,
  settings: IconSettings,
}

const shortcuts: Record<(typeof screens)[number], string> = {
  ship: 'Control+1',
  orders: 'F3',
  track: 'Control+2',
  history: 'Control+3',
  queue: 'Control+4',
  manifests: 'Control+5',
  settings: 'Control+6',
}

/** The navigation bar on the left, with help and sound. */
export function Rail({ screen }: { screen: Screen }) {
  const { t } = useTranslation()
  const go = useNavigation((state) => state.go)
  const showHelp = useNavigation((state) => state.showHelp)
  const soundOn = useSound((state) => state.on)
  const toggleSound = useSound((state) => state.toggle)
  const SoundIcon = soundOn ? IconVolume : IconVolumeOff
  return (
    <nav aria-label={t('nav.label')} className={styles.rail}>
      <div className={styles.brand} aria-hidden>
        <Logo />
      </div>
      <div className={styles.nav}>
        {screens.map((name) => {
          const Icon = icons[name]
          return (
            <button
              key={name}
              type="button"
              className={styles.navItem}
              aria-current={name === screen ? 'page' : undefined}
              aria-keyshortcuts={shortcuts[name]}
              title={`${t(`nav.${name}`)} (${shortcuts[name].replace('Control', 'Ctrl')})`}
              onClick={() => go(name)}
            >
              <Icon size={26} stroke={1.7} aria-hidden />
              <span className={styles.railText}>{t(`nav.${name}`)}</span>
            </button>
          )
        })}
      </div>
      <div className={styles.railFoot}>
        <button
          type="button"
          className={styles.railButton}
          title={t('nav.helpHint')}
          aria-keyshortcuts="F1"
          onClick={() => showHelp(true)}
        >
          <IconHelpCircle size={22} aria-hidden />
          <span className={styles.railText}>{t('nav.help')}</span>
        </button>
        <button
          type="button"
          className={styles.railButton}
          aria-pressed={soundOn}
          title={soundOn ? t('nav.soundOnHint') : t('nav.soundOffHint')}
          onClick={toggleSound}
        >
          <SoundIcon size={22} aria-hidden />
          <span className={styles.railText}>{soundOn ? t('nav.soundOn') : t('nav.soundOff')}</span>
        </button>
      </div>
    </nav>
  )
}
