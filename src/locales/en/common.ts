/** Words that many screens share. */
export const common = {
  /** The language's ISO 639-1 code. */
  languageCode: 'en',
  appName: 'Packbench',
  loading: 'One moment…',
  all: 'All',
  /** How a day is written in figures. */
  dayForm: 'dd/mm/yyyy',
  cancel: 'Cancel',
  zoom: '{{percent}} %',
  close: 'Close',
  save: 'Save',
  discard: 'Discard changes',
  tryAgain: 'Try again',
  copy: 'Copy {{what}}',
  copied: 'Copied',
  none: '—',
  yes: 'Yes',
  no: 'No',
  dismiss: 'Dismiss this message',
  serviceSays: 'The service says',
  reason: 'Reason given',
  technical: 'Technical detail',
  screenFailed: 'This screen could not be shown',
  screenFailedWayOn:
    'The other screens still work, and what you typed there is kept. Try again. If this stays, save the diagnostics and restart Packbench.',
  reasonNeeded: 'Type a reason.',
  saveDiagnostics: 'Save diagnostics',
  diagnosticsSaved: 'Diagnostics were saved as {{path}}.',
  saveCsv: 'Save as CSV',
  saveXlsx: 'Save as XLSX',
  testConnection: 'Test the connection',
  showPassword: 'Show the password',
}

/** Navigation and the list of keys. */
export const nav = {
  label: 'Main navigation',
  ship: 'Ship',
  orders: 'Orders',
  hotFolder: 'Hot folder',
  track: 'Track',
  history: 'History',
  queue: 'Queue',
  manifests: 'Manifests',
  settings: 'Settings',
  soundOn: 'Sound on',
  soundOff: 'Sound off',
  soundOnHint: 'Sounds are on. Turn them off.',
  soundOffHint: 'Sounds are off. Turn them on.',
  help: 'Help',
  helpHint: 'Guides and keyboard shortcuts (F1)',
}

export const shortcuts = {
  title: 'Keyboard shortcuts',
  reprintLast: 'Reprint the last label',
  focusReference: 'Go to the reference',
  operator: 'Sign in, switch operator, sign out',
  next: 'Next field; a scanner’s Enter does not ship by itself',
  screens: 'Ship, Track, History, Queue, Manifests, Settings',
  zoom: 'Larger, smaller, usual size',
  help: 'This help',
  list: 'Move through the list in History',
}

/** The bar at the bottom. */
export const statusBar = {
  label: 'Station status',
  demo: 'DEMO — simulator',
  demoHint: 'The built-in simulator answers at {{url}}; nothing is really shipped.',
  serviceReachable: 'Service OK',
  serviceUnreachable: 'Service not reachable',
  serviceNotTried: 'Service not tried yet',
  accountNone: 'No account',
  accountLocked: 'Account locked',
  accountNotConnected: 'Not connected',
  noPrinter: 'No printer set up',
  printerReady: '{{printer}}: ready',
  printerBusy: '{{printer}}: printing',
  printerError: '{{printer}}: error',
  printerUnknown: '{{printer}}: state not known',
  printerPaused: '{{printer}}: paused',
  morePrinters_one: '+{{count}} printer',
  morePrinters_other: '+{{count}} printers',
  waiting: '{{count}} waiting',
  hotFolderError: 'Hot folder: error',
  hotFolderHint: 'Show the problems of the hot folder',
  hotFolderIssues_one: 'Hot folder: {{count}} problem',
  hotFolderIssues_other: 'Hot folder: {{count}} problems',
  hotFolderProblems_one: '{{count}} problem',
  hotFolderProblems_other: '{{count}} problems',
  hotFolderFiles_one: '{{count}} file',
  hotFolderFiles_other: '{{count}} files',
  noProblems: 'No open problems',
  problems_one: '{{count}} open problem',
  problems_other: '{{count}} open problems',
  problemsHint: {
    history: 'Show what needs attention in History',
    manifests: 'Show the air waybills with an unknown outcome in Manifests',
  },
}

export const notices = {
  label: 'Notices',
  'provisioning-holds-secrets':
    'The provisioning file holds the user name, the password or the PIN in plain text. Delete the file, or name environment variables in it.',
  'station-file-holds-secrets':
    'The station file {{path}} holds the user name, a password or the PIN in plain text: everyone who can read the file can read them. Name environment variables in it. Do not delete it: without a keyring a station takes its account from it at each start.',
  'provisioning-failed':
    'The provisioning file {{path}} was not applied, or only in part: {{reason}}. Correct the cause, and start Packbench with the file again.',
  'credentials-in-memory':
    'There is no keyring on this computer: the credentials are kept in memory and must be typed again after the app closes.',
  'credentials-not-stored':
    'The keyring is locked: the credentials are kept in memory until it is unlocked, and must be typed again if the app closes before. Unlock it under Settings, Account.',
  'weak-storage':
    'The credentials are kept with weak protection, because this computer has no keyring and the settings allow it.',
  'weak-password':
    'The account’s password is short or an ordinary word. Packbench can’t recognise it in other text, so a message of the service that quotes it may show it. Choose a longer one of letters and digits at the service.',
  'recovered-shipments':
    'The app was interrupted the last time while labels were on their way: nothing was sent again. Shipments finished from the disk: {{count}}.',
  'ended-unexpectedly':
    'Packbench or the computer was interrupted the last time (it ran since {{since}}); nothing was sent again. Shipments in progress: {{shipments}}, finished from the disk: {{finished}}, outcome unknown: {{unknown}}. Labels being printed: {{jobs}}.',
  'window-failed':
    'The window crashed and was reloaded. What was typed on Ship is back; nothing was sent twice.',
  'clock-not-plausible':
    'The computer’s clock says {{now}}, but the last known time is {{lastKnown}}. No old shipment is removed until the clock is plausible again: set the clock, or confirm that it is right.',
  clockIsRight: 'The clock is right',
  'labels-waiting':
    'Labels wait in memory ({{count}}): {{reason}}. Do not close Packbench: it writes them as soon as the disk allows. Until then nothing is sent.',
  'labels-not-writable':
    'Packbench can’t write to its labels folder {{path}}: {{reason}}. Nothing is sent until it can; this ends by itself.',
  'settings-newer':
    'settings.json was written by a newer Packbench (settings version {{version}}). This version uses the parts that it knows and removes nothing. Update Packbench.',
  'settings-keys-unknown':
    'settings.json holds keys that this version does not know: {{keys}}. They are kept and have no effect. Update Packbench, or correct their names.',
  'order-import-stopped':
    'Orders can’t be imported from the folder {{path}}: {{reason}}. Files wait there until it can be used again.',
  'station-file-untrusted':
    'The station file {{path}} was not used: {{reason}}, so someone other than an administrator could have written it. Nothing of it was applied. Make administrators the owners of the file and its folder, and the only ones who can write them.',
  'station-file-unreadable':
    'The station file {{path}} can’t be read: {{reason}}. Nothing of it was applied. Give every user of the station read access.',
  'station-file-invalid':
    'The station file {{path}} was not applied: {{reason}}. Correct it; it is read at the next start.',
  'station-file-not-noted':
    'The station file {{path}} was applied, but this could not be recorded: {{reason}}. It will be applied again at the next start and overwrite changes made until then. Let Packbench write station-file.json in its data folder.',
  'start-incomplete':
    'The station works, but its start was not finished: {{reason}}. What was provisioned may not be applied. Start Packbench again.',
  'unofficial-runtime':
    'This is an unofficial build of Electron, for the demo and the tests only: never type real credentials here.',
}

/** The screen shown when the app cannot start its work. */
export const startError = {
  title: 'Packbench cannot start its work',
  updating: 'Packbench gets ready after an update',
  concerns: 'File or folder concerned',
  wayOn: 'What to do',
  nothingChanged: 'Nothing was changed or deleted.',
  triesAgain: 'Packbench tries again by itself.',
  openDataFolder: 'Open data folder',
  setAside: 'Keep that file aside and start with default settings',
  setAsideTitle: 'Start with default settings?',
  setAsideQuestion:
    'This station then has no carriers, printers, rules and people any more until somebody sets them again. If it belongs to a fleet, it creates no shipments until the fleet’s database is entered again under Settings, Fleet. The history is kept for ten years until somebody sets how long.',
  setAsideConfirm: 'Start with default settings',
  stillThere: 'It is still not right. See above.',
  wayOnByCode: {
    settings:
      'Correct the file and try again, or keep it aside under another name and start with default settings.',
    database: 'Install the newer Packbench, or put back a copy of the database, and try again.',
    damaged:
      'Restore the newest backup, or rebuild the history from the labels folder. What was shipped since the backup is filled in from the labels folder, but orders that came since are not: import their files again. The damaged file is kept aside.',
    checking: 'Wait until the check has ended.',
    disk: 'Free some space on the disk that holds the data folder and try again.',
    folder: 'Give this user the right to write in the data folder and try again.',
    history:
      'Rebuild the history from the labels folder: the references are guarded again, and nothing is sent or printed. Or put the database back and try again.',
    other: 'Fix what the message names and try again.',
  },
  backups: 'Backups',
  backupShipments_one: '{{count}} shipment',
  backupShipments_other: '{{count}} shipments',
  noBackups: 'There is no backup yet.',
  restore: 'Restore',
  restoreOf: 'Restore the backup of {{day}}',
  rebuild: 'Rebuild the history',
  continueUnguarded: 'Continue without it',
  continueTitle: 'Continue without a guard?',
  continueQuestion:
    'Packbench will not know that these references were shipped, and will ship them again without asking when an order has one of them.',
}

/** States of print jobs, one word each. */
export const states = {
  job: {
    queued: 'Waiting',
    sending: 'Sending',
    'handed-over': 'Handed over',
    waiting: 'Waits for you',
    done: 'Printed',
    failed: 'Failed',
    unconfirmed: 'Not confirmed',
    cancelled: 'Cancelled',
  },
  jobKind: { first: '', reprint: 'reprint', moved: 'other printer' },
  needsAttention: 'Needs attention',
}
