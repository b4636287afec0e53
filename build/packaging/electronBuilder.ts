import { join } from 'node:path'
import type { Configuration } from 'electron-builder'

/** Excludes binaries of other platforms from npm packages that ship one per platform. */
const foreignFiles = [
  // Electron is built for glibc.
  '!node_modules/@libsql/linux-*-musl{,/**}',
  '!node_modules/@koromix/*/musl_*{,/**}',
  // SumatraPDF is used only on Windows.
  ...(process.platform === 'win32' ? [] : ['!node_modules/pdf-to-printer/dist/*.exe']),
]

/** A DLL that the native database package needs beside the program, because a fresh Windows lacks it. */
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
 * Contents and security fuses of a package, the same for every target. `npm run package` adds the Electron that it found,
 * the targets that the machine can build, and the folder that they go to.
 */
const config: Configuration = {
  appId: 'app.packbench.station',
  productName: 'Packbench',
  copyright: 'The Packbench authors, MIT licence',
  directories: { buildResources: 'build/icons' },
  files: [
    'out/{main,preload,renderer}/**',
    'package.json',
    'LICENSE',
    // Source maps are stored separately; a station needs no types, tests and guides of packages.
    '!**/*.{map,ts,cts,mts,md,markdown,flow,tsbuildinfo}',
    '!**/node_modules/**/{test,tests,__tests__,example,examples,docs,coverage,.github}{,/**}',
    ...foreignFiles,
  ],
  extraFiles: [{ from: 'out/LICENSES.packages.txt', to: 'LICENSES.packages.txt' }, ...runtimeLibraries],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder fills them in
  artifactName: 'Packbench-${version}-${os}-${arch}.${ext}',
  asar: true,
  // The system loads or starts these by path and can't read the archive.
  asarUnpack: ['node_modules/**/*.{node,exe,dll,dylib,so}'],
  // Native packages ship prebuilt N-API binaries: nothing is compiled.
  npmRebuild: false,
  electronLanguages: ['en-US', 'nl'],
  // SECURITY: a packaged Packbench can't be used as Node, runs no code from outside its archive and accepts no debugger.
  electronFuses: {
    runAsNode: false,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    // The page is loaded from app://packbench; file:// gets no rights beyond those of a web page.
    grantFileProtocolExtraPrivileges: false,
    enableCookieEncryption: true,
    // Only a snapshot made for the browser process could be loaded, and none is shipped.
    loadBrowserProcessSpecificV8Snapshot: false,
    // Changing the fuses breaks the program's signature, and Apple silicon runs nothing with a broken one. A certificate's replaces this one.
    resetAdHocDarwinSignature: process.platform === 'darwin',
  },
  linux: { executableName: 'packbench', category: 'Office', icon: 'build/icons/sizes' },
  // This version needs no FUSE library, and its menu entry has no --no-sandbox, which an installed app refuses.
  toolsets: { appimage: '1.0.3' },
  win: { executableName: 'Packbench' },
  mac: { category: 'public.app-category.business', hardenedRuntime: true },
}

export default config
