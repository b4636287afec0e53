/** Files that the bundler turns into a path or a text. */
declare module '*?asset' {
  const path: string
  export default path
}

declare module '*?raw' {
  const text: string
  export default text
}

/** What is used of WebAssembly, which the types of Node 20 leave out. */
declare namespace WebAssembly {
  type Imports = Record<string, Record<string, unknown>>
  type Exports = Record<string, unknown>
  type Module = object
  class Instance {
    constructor(module: Module, imports: Imports)
    readonly exports: Exports
  }
  function compile(bytes: Uint8Array): Promise<Module>
}

/** What the bundler replaces: true under `npm run dev` alone. */
interface ImportMeta {
  readonly env: { readonly DEV: boolean }
}
