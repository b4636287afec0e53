// Loaded before dependency-cruiser 17 (`node --import`), which has swc parse .tsx files without JSX, so that parsing fails
// at the first tag. Version 18 fixes this, but needs a newer Node than this project.
import { createRequire } from 'node:module'

/** @type {typeof import('@swc/core')} */
const swc = createRequire(import.meta.url)('@swc/core')
const parse = swc.parseFileSync

Object.assign(swc, {
  /** @type {(path: string, options?: import('@swc/core').ParseOptions) => import('@swc/core').Module} */
  parseFileSync: (path, options) =>
    parse(path, { ...options, syntax: 'typescript', tsx: path.endsWith('.tsx') }),
})
