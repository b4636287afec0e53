/**
 * Fails the build when simulator code ends up in a file that a real station loads: only files that are imported dynamically
 * under --demo may contain it.
 * @returns {import('vite').Plugin}
 */
export function simulatorApart() {
  return {
    name: 'simulator-apart',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
      const loaded = new Set(chunks.filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName))
      // Iterating a set also visits elements that are added meanwhile.
      for (const fileName of loaded) {
        const imports = chunks.find((chunk) => chunk.fileName === fileName)?.imports ?? []
        for (const imported of imports) loaded.add(imported)
      }
      const mixed = chunks
        .filter((chunk) => loaded.has(chunk.fileName))
        .flatMap((chunk) =>
          chunk.moduleIds.map((id) => ({ file: chunk.fileName, id: id.replaceAll('\\', '/') })),
        )
        .filter(({ id }) => id.includes('/src/simulator/'))
      if (mixed.length > 0) {
        this.error(
          `The simulator is in the app: ${mixed.map(({ file, id }) => `${id} in ${file}`).join(', ')}`,
        )
      }
    },
  }
}
