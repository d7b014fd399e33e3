/** An entry of Vite's `.vite/manifest.json`: the built file of a module, and the modules it imports statically. */
export interface BuiltModule {
  file: string
  /** Of a shared chunk: that of its group in `vite.config.ts`. */
  name?: string
  isEntry?: boolean
  isDynamicEntry?: boolean
  imports?: string[]
}

/** Vite's manifest: built modules by their key (the source path below `web/`, or a name of a shared chunk). */
export type BuildManifest = Record<string, BuiltModule>

/** The keys and those of all modules they import statically, directly or through others; each once. */
export function withImports(manifest: BuildManifest, keys: Iterable<string>): Set<string> {
  const all = new Set(keys)
  // Iterating a set includes items added meanwhile, so this covers transitive imports.
  for (const key of all) for (const imported of manifest[key]?.imports ?? []) all.add(imported)
  return all
}
