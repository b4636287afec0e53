// Loaded before dependency-cruiser 17 (`node --import`), which asks swc to read .tsx files as if they held no JSX and
// stops at the first tag. Its version 18 asks rightly, but needs a newer Node than this project.
import { createRequire } from 'node:module'

/** @type {typeof import('@swc/core')} */
const swc = createRequire(import.meta.url)('@swc/core')
const parse = swc.parseFileSync

Object.assign(swc, {
  /** @type {(path: string, options?: import('@swc/core').ParseOptions) => import('@swc/core').Module} */
  parseFileSync: (path, options) =>
    parse(path, { ...options, syntax: 'typescript', tsx: path.endsWith('.tsx') }),
})
