/** Updates of the app, under Settings, Station. */
export const updates = {
  group: 'Version and updates',
  version: 'Version',
  server: 'Updates come from',
  channel: 'Channel {{channel}} at {{url}}',
  off: 'Updates are off. An administrator names a server and a channel in the provisioning file.',
  never: 'This build has no key to check updates with: it is updated by hand.',
  looked: 'Last look',
  notLooked: 'Not yet',
  look: 'Look for updates',
  upToDate: 'This station is up to date.',
  looking: 'Looking for updates…',
  downloading: 'Version {{version}} is being downloaded',
  ready: 'Version {{version}} is ready. It is installed when you restart, never automatically.',
  byHand:
    'Version {{version}} is available. This installation is not updated by Packbench itself: install {{file}}.',
  restart: 'Restart to update',
  hold: {
    shipping: 'It waits: a shipment is being created.',
    printing: 'It waits: a label is on its way to the printer.',
    batch: 'It waits: a batch of orders is running.',
    unknown: 'It waits: an outcome is unknown. Resolve it first.',
    labels: 'It waits: labels are kept in memory until the disk has room.',
  },
  progress: 'Download progress of the update',
}
