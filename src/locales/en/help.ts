/** The help that F1 opens. Its pages are in docs/guides. */
export const help = {
  /** What F1 opens on each screen: page and heading of the guides. */
  places: {
    setup: 'administrator#set-up-a-station',
    startError: 'troubleshooting#packbench-does-not-start',
    ship: 'operator#ship-a-parcel',
    orders: 'operator#work-through-a-list-of-orders',
    track: 'operator#look-a-parcel-up',
    history: 'operator#look-a-parcel-up',
    queue: 'operator#when-a-label-waits',
    manifests: 'manifests#',
    hotFolder: 'hot-folder#',
    settings: 'administrator#settings-by-tab',
  },
  pages: 'Pages',
  guides: 'Guides',
  reference: 'Reference',
  keys: 'Keys',
  licences: 'Licences',
  licencesIntro: 'Packbench is under the MIT licence. It ships these packages:',
  licencesElsewhere:
    'The licences of all packages are in the installed app, and in node_modules where it runs from its sources.',
  search: 'Search the help',
  searchHint: 'A word of what the screen says',
  found_one: '{{count}} section found',
  found_other: '{{count}} sections found',
  nothingFound: 'No section has all of these words. Try fewer or shorter ones.',
  inPage: 'in {{page}}',
}
