import type * as en from '../en'

export const help: typeof en.help = {
  places: {
    setup: 'administrator#een-station-inrichten',
    startError: 'troubleshooting#packbench-start-niet',
    ship: 'operator#een-pakket-verzenden',
    orders: 'operator#een-lijst-orders-afwerken',
    track: 'operator#een-pakket-opzoeken',
    history: 'operator#een-pakket-opzoeken',
    queue: 'operator#als-een-label-wacht',
    manifests: 'manifests#',
    hotFolder: 'hot-folder#',
    settings: 'administrator#instellingen-per-tabblad',
  },
  pages: 'Pagina’s',
  guides: 'Handleidingen',
  reference: 'Naslag (Engels)',
  keys: 'Toetsen',
  licences: 'Licenties',
  licencesIntro: 'Packbench valt onder de MIT-licentie. Deze pakketten horen erbij:',
  licencesElsewhere:
    'De licenties van alle pakketten staan in de geïnstalleerde app, en in node_modules waar die uit de broncode draait.',
  search: 'Zoeken in de hulp',
  searchHint: 'Een woord van wat het scherm zegt',
  found_one: '{{count}} onderdeel gevonden',
  found_other: '{{count}} onderdelen gevonden',
  nothingFound: 'Geen onderdeel heeft al deze woorden. Probeer minder of kortere.',
  inPage: 'in {{page}}',
}
