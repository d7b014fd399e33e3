import { fileURLToPath } from 'node:url'

/** The folder of the installation's code. */
const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** What a site's process may read of our code: everything that is the same in each installation, and no data. */
export const codePaths: readonly string[] = ['package.json', 'node_modules/', 'server/', 'shared/'].map(
  (name) => root + name,
)

const entry = fileURLToPath(new URL('../child/site-process.ts', import.meta.url))
const hooks = new URL('../child/module-hooks.ts', import.meta.url).href

/**
 * Arguments of Node for a site's process, its program included.
 * @param writable folders of the site that PHP sees
 * @param further arguments before the program, for tests
 */
export function nodeArguments(writable: readonly string[], further: readonly string[] = []): string[] {
  return [
    // The baseline compiler alone: 55 MB less per site for 5 to 10 % slower pages.
    '--liftoff-only',
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=DEP0111',
    // Node's permission model: files as below; no children, workers, addons, WASI, inspector.
    '--permission',
    ...codePaths.map((path) => `--allow-fs-read=${path}`),
    ...writable.flatMap((path) => [`--allow-fs-read=${path}`, `--allow-fs-write=${path}`]),
    // Node 25 knows of networks as well, and then also of the inherited listener that visitors' requests come through.
    ...(process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []),
    '--no-addons',
    // Its databases are opened past the permission model.
    '--no-experimental-sqlite',
    // A library that PHP loaded could hand strings to the loader's eval(); no module of ours evaluates any.
    '--disallow-code-generation-from-strings',
    // A signal would open the inspector.
    '--disable-sigusr1',
    `--import=${hooks}`,
    ...further,
    entry,
  ]
}
