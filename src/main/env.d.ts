/** Files that the bundler makes a path or a text. */
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
  class Memory {
    grow(pages: number): number
  }
  function compile(bytes: Uint8Array): Promise<Module>
}

/** What the bundler replaces. */
interface ImportMeta {
  readonly env: {
    /** True under `npm run dev` alone. */
    readonly DEV: boolean
    /** The key that updates of this build are signed with: Ed25519, SPKI in base64. */
    readonly MAIN_VITE_UPDATE_KEY?: string
  }
}
