// The rules of the house: who may import whom. `npm run check:boundaries` fails when one is crossed.
/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Files that import each other cannot be understood one at a time.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'renderer-below-the-screens',
      severity: 'error',
      comment:
        'theme < i18n < bridge < ui < features < app: what lies lower knows nothing of what lies higher.',
      from: { path: '^src/renderer/(theme|i18n|bridge\\.ts|ui)' },
      to: { path: '^src/renderer/(features|app)/' },
    },
    {
      name: 'renderer-bridge-imports-shared-only',
      severity: 'error',
      from: { path: '^src/renderer/(theme|i18n|bridge\\.ts)' },
      to: { path: '^src/renderer/ui/' },
    },
    {
      name: 'screens-do-not-know-the-shell',
      severity: 'error',
      from: { path: '^src/renderer/features/' },
      to: { path: '^src/renderer/app/' },
    },
    {
      name: 'screens-do-not-know-each-other',
      severity: 'error',
      comment:
        'What one screen asks of another goes through ui/navigation.ts and ui/dialogs.ts; ui/unsavedOrders.ts tells Ship what is not saved in Orders. Set-up is made of parts of the settings, which know the senders of the customs block. The scanner routes codes to Ship from every screen, and Ship and the settings read the scale.',
      from: {
        path: '^src/renderer/features/([^/]+)/',
        pathNot: '^src/renderer/features/(setup|settings|scanner)/',
      },
      to: { path: '^src/renderer/features/', pathNot: '^src/renderer/features/($1|scale)/' },
    },
    ...[
      ['main', '^src/main/[^/]+$', 'A feature whose folder is in a circle cannot be understood by itself.'],
      ['printing', '^src/main/printing/', 'layout < raster < barcodes and cups < drivers < queue.'],
      ['renderer', '^src/renderer(/|$)', 'theme < i18n < bridge < ui < features < app.'],
    ].map(([name, path, comment]) => ({
      name: `no-cycles-between-the-folders-of-${name}`,
      severity: 'error',
      comment,
      scope: 'folder',
      from: { path },
      to: { path, circular: true },
    })),
    {
      name: 'lines-of-manifests-know-no-manifest',
      severity: 'error',
      from: { path: '^src/main/consignments/lines/' },
      to: { path: '^src/main/consignments/[^/]+$' },
    },
    {
      name: 'nothing-unresolved',
      severity: 'error',
      from: { path: '^(src|tests)/' },
      to: { couldNotResolve: true, pathNot: '^electron$' },
    },
    {
      name: 'shared-imports-only-zod',
      severity: 'error',
      from: { path: '^src/shared/' },
      to: { pathNot: ['^src/shared/', '^node_modules/zod/', '^zod$'] },
    },
    {
      name: 'locales-hold-words',
      severity: 'error',
      comment:
        'Main and the window read the same words: of the app they know what the words are of, no more.',
      from: { path: '^src/locales/' },
      to: { pathNot: '^src/(locales|shared)/' },
    },
    {
      name: 'renderer-and-preload-stay-out-of-main-and-node',
      severity: 'error',
      from: { path: '^src/(renderer|preload)/' },
      to: { path: '^src/main/' },
    },
    {
      name: 'renderer-and-preload-use-no-node-modules-of-node',
      severity: 'error',
      from: { path: '^src/(renderer|preload)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'renderer-never-imports-electron',
      severity: 'error',
      from: { path: '^src/renderer/' },
      to: { path: '^(node_modules/)?electron(/|$)' },
    },
    {
      name: 'only-ipc-and-app-import-electron',
      severity: 'error',
      comment: 'Feature folders get thin adapters passed in, so they run and are tested under plain Node.',
      from: { path: '^src/main/', pathNot: ['^src/main/(ipc|app)/', '^src/main/index\\.ts$'] },
      to: { path: '^(node_modules/)?(electron|electron-store)(/|$)' },
    },
    {
      name: 'only-carrier-imports-the-http-client',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/main/(carrier|network|updates)/' },
      to: { path: ['^(node_modules/)?undici(/|$)'] },
    },
    {
      name: 'only-ipp-uses-nodes-http',
      severity: 'error',
      comment: 'IPP (the language of CUPS) is spoken over HTTP by the printing client.',
      from: { path: '^src/main/', pathNot: '^src/main/(carrier/|printing/cups/ipp\\.ts$)' },
      to: { path: '^(node:)?(http|https|http2)$', dependencyTypes: ['core'] },
    },
    {
      name: 'only-storage-and-repositories-import-the-database',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/main/storage/',
          '[/rR]epository\\.ts$',
          '^src/main/shipments/duplicateGuard\\.ts$',
          '^src/main/fleet/(connection|schema)\\.ts$',
        ],
      },
      to: { path: '^(node_modules/)?(libsql|kysely)(/|$)' },
    },
    {
      name: 'only-the-fleet-speaks-to-postgresql',
      severity: 'error',
      comment: 'One import, at run time, so that a station by itself never loads it.',
      from: { path: '^src/', pathNot: '^src/main/fleet/connection\\.ts$' },
      to: { path: '^(node_modules/)?(@types/)?pg(/|$)' },
    },
    {
      name: 'features-do-not-know-the-shell',
      severity: 'error',
      comment:
        'Dependencies point inwards: the bridge and Electron know the features, never the other way round.',
      from: { path: '^src/main/(?!(app|ipc)/)[^/]+/' },
      to: { path: '^src/main/(ipc|app|index)' },
    },
    {
      name: 'storage-and-carrier-know-no-feature',
      severity: 'error',
      from: { path: '^src/main/(carrier|storage)/' },
      to: { path: '^src/main/(?!$1/|log/|lib/|network/)' },
    },
    {
      name: 'network-knows-no-feature',
      severity: 'error',
      comment: 'How connections are made, whoever makes them.',
      from: { path: '^src/main/network/' },
      to: { path: '^src/main/(?!network/|log/|lib/)' },
    },
    {
      name: 'lib-knows-no-feature',
      severity: 'error',
      comment: 'Small and generic: mutex, durable files, decoding.',
      from: { path: '^src/main/lib/' },
      to: { path: '^src/main/(?!lib/)' },
    },
    {
      name: 'discovery-knows-no-feature',
      severity: 'error',
      from: { path: '^src/main/discovery/' },
      to: { path: '^src/main/(?!(discovery|lib)/)' },
    },
    {
      name: 'ipc-knows-no-feature',
      severity: 'error',
      from: { path: '^src/main/ipc/' },
      to: { path: '^src/main/(?!(ipc|log)/)' },
    },
    {
      name: 'tables-know-no-feature',
      severity: 'error',
      comment: 'One reader and one writer for every table of the app.',
      from: { path: '^src/main/tables/' },
      to: { path: '^src/main/(?!(tables|lib)/)' },
    },
    {
      name: 'simulator-stands-alone',
      severity: 'error',
      comment:
        "The simulator is a second reading of the specification: sharing the client's would prove nothing.",
      from: { path: '^src/simulator/' },
      to: { path: '^src/(main|renderer|preload)/' },
    },
    {
      name: 'only-demo-mode-loads-the-simulator',
      severity: 'error',
      comment: 'One import, at run time and under --demo, so that a station at work never has it.',
      from: { path: '^src/(main|renderer|preload|shared)/', pathNot: '^src/main/app/demo\\.ts$' },
      to: { path: '^src/simulator/' },
    },
    {
      name: 'the-simulator-is-loaded-lazily',
      severity: 'error',
      from: { path: '^src/main/' },
      to: { path: '^src/simulator/', dependencyTypesNot: ['dynamic-import'] },
    },
    {
      name: 'product-code-does-not-import-tests',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(tests|build)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.web.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
