/** Files that the bundler turns into a path or a text. */
declare module '*?asset' {
  const path: string
  export default path
}

declare module '*?raw' {
  const text: string
  export default text
}
