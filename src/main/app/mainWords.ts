import type { Language } from '../../shared/fields'
import type { Target } from './targetConsent'

/** What the tray says. */
export interface TrayWords {
  open: string
  quit: string
  tooltip: string
}

const tray: Record<Language, TrayWords & { trouble: string }> = {
  en: {
    open: 'Open Packbench',
    quit: 'Quit Packbench',
    tooltip: 'Packbench',
    trouble: 'Packbench cannot start its work: open it to see why',
  },
  nl: {
    open: 'Packbench openen',
    quit: 'Packbench afsluiten',
    tooltip: 'Packbench',
    trouble: 'Packbench kan niet beginnen: open het om te zien waarom',
  },
}

/**
 * The tray's words.
 * @param inTrouble whether the station can't start its work
 */
export function trayWords(language: Language, inTrouble: boolean): TrayWords {
  const { trouble, ...usual } = tray[language]
  return inTrouble ? { ...usual, open: trouble, tooltip: trouble } : usual
}

interface ConsentWords {
  question: string
  advice: string
  allow: string
  cancel: string
  /** What a place is, without the place itself. */
  line(target: Target): string
}

/** The words of the question whether labels, orders and credentials may go to new places. */
export const consentWords: Record<Language, ConsentWords> = {
  en: {
    question: 'Allow Packbench to use this place?',
    advice:
      'It concerns names and addresses, or the account’s password. Allow this only if you have just set it up yourself.',
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
        case 'service':
          return 'The account’s user name and password are sent to'
        case 'weak-storage':
          return 'Without a keyring, the password is kept where anyone who can read this user’s files can read it'
      }
    },
  },
  nl: {
    question: 'Mag Packbench deze plaats gebruiken?',
    advice:
      'Het gaat om namen en adressen, of om het wachtwoord van het account. Sta dit alleen toe als u het zojuist zelf hebt ingesteld.',
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
        case 'service':
          return 'De gebruikersnaam en het wachtwoord van het account gaan naar'
        case 'weak-storage':
          return 'Zonder sleutelbos staat het wachtwoord waar iedereen die de bestanden van deze gebruiker kan lezen, het kan lezen'
      }
    },
  },
}
