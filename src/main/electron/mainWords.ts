import type { Language } from '../../shared/settings'
import type { Target } from '../bridge/targetConsent'

/** The tray's words. */
export const trayWords: Record<Language, { open: string; quit: string; tooltip: string }> = {
  en: { open: 'Open Packbench', quit: 'Quit Packbench', tooltip: 'Packbench' },
  nl: { open: 'Packbench openen', quit: 'Packbench afsluiten', tooltip: 'Packbench' },
}

interface ConsentWords {
  question: string
  advice: string
  allow: string
  cancel: string
  /** What a place is, without the place itself. */
  line(target: Target): string
}

/** The words of the question whether labels and orders may go to new places. */
export const consentWords: Record<Language, ConsentWords> = {
  en: {
    question: 'Allow Packbench to use this place?',
    advice:
      'Labels and orders hold names and addresses. Allow this only if you have just set it up yourself.',
    allow: 'Allow',
    cancel: 'Cancel',
    line(target) {
      switch (target.kind) {
        case 'printer':
          return `Labels of printer «${target.printer}» go to`
        case 'printer-folder':
          return `Labels of printer «${target.printer}» go to the folder`
        case 'hot-folder':
          return 'Orders are taken from, and their results written to, the hot folder'
        case 'label-host':
          return 'Labels may be fetched from'
      }
    },
  },
  nl: {
    question: 'Mag Packbench deze plaats gebruiken?',
    advice:
      'Labels en orders bevatten namen en adressen. Sta dit alleen toe als u het zojuist zelf hebt ingesteld.',
    allow: 'Toestaan',
    cancel: 'Annuleren',
    line(target) {
      switch (target.kind) {
        case 'printer':
          return `Labels van printer «${target.printer}» gaan naar`
        case 'printer-folder':
          return `Labels van printer «${target.printer}» gaan naar de map`
        case 'hot-folder':
          return 'Orders komen uit, en hun resultaten gaan naar, de hot folder'
        case 'label-host':
          return 'Labels mogen opgehaald worden bij'
      }
    },
  },
}
