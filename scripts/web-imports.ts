/**
 * Puts our own way of importing (web/lib/fetch-first.ts) in the place of Vite's, which only hints at the files an
 * import needs and leaves a failed one failed.
 */
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

/** The module Vite wraps every `import()` of a build with; it exports `__vitePreload`. */
const helper = '\0vite/preload-helper.js'
const ours = fileURLToPath(new URL('../web/lib/fetch-first.ts', import.meta.url))

/**
 * The plugin; `base` is where the built files are served, with a slash at its end. Fails the build when Vite no longer
 * asks for that module: the app would work, and only without network show that it lost this.
 */
export function fetchFirstImports(base: string): Plugin {
  let replaced = false
  return {
    name: 'easydash:fetch-first',
    apply: 'build',
    enforce: 'pre',
    load(id) {
      if (id !== helper) return null
      replaced = true
      return [
        `import { fetchFirst } from ${JSON.stringify(ours)}`,
        // Vite gives paths below the base.
        `export const __vitePreload = (load, files) => fetchFirst(load, files?.map((file) => ${JSON.stringify(base)} + file))`,
      ].join('\n')
    },
    generateBundle() {
      if (!replaced) this.error('Vite wraps imports in another way now: scripts/web-imports.ts must follow.')
    },
  }
}
