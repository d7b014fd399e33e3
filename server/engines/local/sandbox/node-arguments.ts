import { fileURLToPath } from 'node:url'

/** The folder of the installation's code. */
const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** Code that a site's process may read: everything that is the same in each installation, and no data. */
export const codePaths: readonly string[] = ['package.json', 'node_modules/', 'server/', 'shared/'].map(
  (name) => root + name,
)

const entry = fileURLToPath(new URL('../child/site-process.ts', import.meta.url))
const hooks = new URL('../child/module-hooks.ts', import.meta.url).href

/**
 * Node arguments of a site's process, including its program.
 * @param writable folders of the site that PHP sees
 * @param further arguments before the program, for tests
 */
export function nodeArguments(writable: readonly string[], further: readonly string[] = []): string[] {
  return [
    // Baseline compiler only: 55 MB less per site for 5 to 10 % slower pages.
    '--liftoff-only',
    // PHP comes with this installation and is validated function by function when first used: a site wakes 0.15 s of processor
    // time earlier (of 1.3 s).
    '--wasm-lazy-validation',
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=DEP0111',
    // Node's permission model: only the files below; no children, workers, addons, WASI, inspector.
    '--permission',
    ...codePaths.map((path) => `--allow-fs-read=${path}`),
    ...writable.flatMap((path) => [`--allow-fs-read=${path}`, `--allow-fs-write=${path}`]),
    // Node 25 also restricts networks, including the inherited listener for visitors' requests.
    ...(process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []),
    '--no-addons',
    // SQLite databases bypass the permission model.
    '--no-experimental-sqlite',
    // A library loaded by PHP could pass strings to the loader's eval(); none of our modules evaluates any.
    '--disallow-code-generation-from-strings',
    // Otherwise a signal would open the inspector.
    '--disable-sigusr1',
    `--import=${hooks}`,
    ...further,
    entry,
  ]
}
