import { join } from 'node:path'
import type { Configuration } from 'electron-builder'

/** Packages with one copy for each platform, of which a package needs its own platform's alone. */
const foreignFiles = [
  // Electron is built for glibc.
  '!node_modules/@libsql/linux-*-musl{,/**}',
  '!node_modules/@koromix/*/musl_*{,/**}',
  // SumatraPDF prints on Windows alone.
  ...(process.platform === 'win32' ? [] : ['!node_modules/pdf-to-printer/dist/*.exe']),
]

/** What the database's native package needs of Windows beside the program: a new Windows lacks it. */
const runtimeLibraries =
  process.platform === 'win32'
    ? [
        {
          from: join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'vcruntime140.dll'),
          to: 'vcruntime140.dll',
        },
      ]
    : []

/**
 * What a package holds and how strict it is, the same for every target. `npm run package` adds the Electron that it
 * found and the targets that the machine can make.
 */
const config: Configuration = {
  appId: 'app.packbench.station',
  productName: 'Packbench',
  copyright: 'The Packbench authors, MIT licence',
  directories: { output: 'dist', buildResources: 'build/icons' },
  files: [
    'out/{main,preload,renderer}/**',
    'package.json',
    'LICENSE',
    // Source maps are kept apart; types, tests and guides of packages are of no use on a station.
    '!**/*.{map,ts,cts,mts,md,markdown,flow,tsbuildinfo}',
    '!**/node_modules/**/{test,tests,__tests__,example,examples,docs,coverage,.github}{,/**}',
    ...foreignFiles,
  ],
  extraFiles: [{ from: 'dist/LICENSES.packages.txt', to: 'LICENSES.packages.txt' }, ...runtimeLibraries],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder fills them in
  artifactName: 'Packbench-${version}-${os}-${arch}.${ext}',
  asar: true,
  // What the system loads or starts by its path: it knows nothing of the archive.
  asarUnpack: ['node_modules/**/*.{node,exe,dll,dylib,so}'],
  // Native packages bring prebuilt N-API binaries: nothing is compiled.
  npmRebuild: false,
  electronLanguages: ['en-US', 'nl'],
  // SECURITY: a packaged Packbench is no Node, runs no code from outside its archive and takes no debugger.
  electronFuses: {
    runAsNode: false,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    // The page comes from app://packbench; file:// gets no rights beyond those of a web page.
    grantFileProtocolExtraPrivileges: false,
    enableCookieEncryption: true,
    // Only a snapshot made for the browser process could be loaded, and none is shipped.
    loadBrowserProcessSpecificV8Snapshot: false,
  },
  linux: { executableName: 'packbench', category: 'Office', icon: 'build/icons/sizes' },
  // Its runtime needs no FUSE library, and its menu entry takes no sandbox away, which an installed app would refuse.
  toolsets: { appimage: '1.0.3' },
  win: { executableName: 'Packbench' },
  mac: { category: 'public.app-category.business', hardenedRuntime: true },
}

export default config
