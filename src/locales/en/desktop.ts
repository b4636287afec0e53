/** What the tray says. */
export const tray = {
  open: 'Open Packbench',
  quit: 'Quit Packbench',
  cannotStart: 'Packbench cannot start its work: open it to see why',
}

/** The question before the app ends while labels are only in memory. */
export const quit = {
  question: 'Labels are not on the disk yet. Quit all the same?',
  detail:
    'Labels that are paid for wait in memory, because the disk does not take them. If Packbench quits now, they can be lost, and the outcome of their orders is unknown then. If it stays open, it writes them as soon as the disk allows.',
  confirm: 'Quit, even if labels are lost',
}

/** The question whether labels, orders and credentials may go to new places. */
export const restore = {
  button: 'Restore a copy from a folder …',
  question: 'Restore the copy of {{day}} from {{folder}} (shipments: {{shipments}})?',
  /** The places follow. */
  newPlaces:
    'Its settings bring these places. If you do not know one of them, do not restore the copy: somebody may have changed it.',
  meaning: [
    'Its database and settings replace those on this computer, which are kept under other names. Labels are added. A copy holds no user names, no passwords and no PIN. On another computer, connect the account again. If the station had a PIN, what it guards stays closed there, the account too, until a provisioning file sets or removes it.',
    'Duplicate guard: a shipment made after the copy is guarded only if its label is in the labels folder of this computer. On another computer it is not guarded: do not ship an order again that was worked on after the copy.',
    'Manifests: whether an air waybill was sent after the copy is not known. Ask the service before you send one, also one that is no longer listed.',
    'Orders: what came into the list after the copy is not in it any more. Import their files again, also those that the import folder has moved to done.',
    'The station that was copied must not ship any more: two stations with one history do not see each other’s shipments. In a fleet this one creates no shipments until it has joined as a new station.',
    'Packbench restarts.',
  ],
  restore: 'Restore',
}

export const consent = {
  question: 'Allow Packbench to use this place?',
  advice:
    'It concerns names and addresses, or the account’s password. Allow this only if you have just set it up yourself.',
  allow: 'Allow',
  /** What a place is; the place itself follows. */
  places: {
    printer: 'Labels of printer “{{printer}}” go to',
    'printer-folder': 'Labels of printer “{{printer}}” go to the folder',
    'hot-folder': 'Orders are taken from, and their results written to, the hot folder',
    'import-folder': 'Orders are imported from, and notes about their files written to, the folder',
    'printer-scan': 'Printers are looked for at',
    'label-host': 'Labels may be fetched from',
    service: 'The account’s user name and password are sent to',
    scale: 'Parcels are weighed on the USB device',
    fleet: 'Shipments, addresses and labels are shared through the database',
    'backup-folder': 'Copies of shipments, addresses, labels, manifests and settings go to the folder',
    proxy: 'Everything that is sent goes through the proxy',
    certificates: 'Servers with a certificate of this authority are trusted',
    updates: 'Updates of Packbench are looked for at',
    'weak-storage':
      'Without a keyring, the password is kept where anyone who can read this user’s files can read it',
  },
}

/** Messages on the desktop. */
export const notifications = {
  printer: 'Printer {{printer}} needs you',
  label: {
    failed: 'The label of {{reference}} was not printed.',
    unconfirmed: 'It is not known whether the label of {{reference}} was printed.',
    waiting: 'The label of {{reference}} waits for your choice.',
    held: 'The label of {{reference}} waits at the printer.',
  },
  invoice: {
    failed: 'The invoice for {{reference}} was not printed.',
    unconfirmed: 'It is not known whether the invoice for {{reference}} was printed.',
    waiting: 'The invoice for {{reference}} waits for your choice.',
    held: 'The invoice for {{reference}} waits at the printer.',
  },
  parcel: 'A parcel needs someone',
  parcels: '{{count}} parcels need someone',
  parcelAlerts: {
    'not-found': 'not known to the service',
    silent: 'no news for days',
    status: 'the carrier reports an exception',
  },
  more: 'and {{count}} more',
}
