/**
 * What each page of the built app loads, so that the server can name it in the HTML: the browser then fetches a page's
 * code together with the app's entry instead of one after the other.
 */
import { readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './node24.mjs'

interface Chunk {
  file: string
  imports?: string[]
  isEntry?: boolean
}

/** The bundler's list of files by module. */
type Manifest = Record<string, Chunk>

/** A line of the route table and the module of its page. */
interface PageModule {
  path: string
  layout: string
  module: string
}

/** What signed-in people need beside the page. */
const signedIn = ['shell/app-shell.tsx']

/** Reads the route table as text: it imports pages, which run in a browser only. */
export function pagesOf(routeTable: string): PageModule[] {
  const line = /\broute\(\s*'([^']+)',\s*'[^']+',\s*'([^']+)',[\s\S]*?import\('#web\/([^']+)'\)/g
  const pages = [...routeTable.matchAll(line)].map(([, path = '', layout = '', module = '']) => ({
    path,
    layout,
    module,
  }))
  const lines = [...routeTable.matchAll(/\broute\(\s*'/g)].length
  if (pages.length !== lines) throw new Error(`web/routes.tsx has ${lines} routes, but ${pages.length} could be read.`)
  return pages
}

/** Files a module needs beyond those the page always has. */
export function filesOf(manifest: Manifest, modules: readonly string[]): string[] {
  const closure = (keys: readonly string[]) => {
    const all = new Set(keys)
    for (const key of all) for (const imported of manifest[key]?.imports ?? []) all.add(imported)
    return all
  }
  const always = closure(Object.keys(manifest).filter((key) => manifest[key]?.isEntry))
  for (const module of modules)
    if (!manifest[module]) throw new Error(`The build has no file of its own for web/${module}.`)
  return [...closure(modules)].filter((key) => !always.has(key)).map((key) => `/web/${manifest[key]?.file ?? ''}`)
}

const scriptTags = /[ \t]*<script type="module"[^>]*><\/script>\n?|[ \t]*<link rel="modulepreload"[^>]*>\n?/g

/**
 * The page with the tag of its largest script before and those of the others after everything else of the head, large ones
 * first: a browser has six connections to a server, on a phone each begins slowly, and the one the page came by is open.
 * @param sizeOf bytes of a file by its path from the root
 */
export function largeFirst(html: string, sizeOf: (file: string) => number): string {
  const sizeOfTag = (tag: string) => sizeOf(/(?:src|href)="([^"]+)"/.exec(tag)?.[1] ?? '')
  const tags = (html.match(scriptTags) ?? []).toSorted((one, other) => sizeOfTag(other) - sizeOfTag(one))
  const [largest = '', ...others] = tags
  return html
    .replace(scriptTags, '')
    .replace('</title>', () => `</title>${largest}`)
    .replace('</head>', () => `${others.join('')}</head>`)
}

/**
 * Writes `.vite/preloads.json`: `{ path, files }` for each route, paths as in the route table, and orders the page's own
 * scripts.
 */
export async function writePreloads(folder: string): Promise<void> {
  const assets = join(folder, 'assets')
  const sizes = new Map<string, number>()
  for (const file of await readdir(assets)) sizes.set(`/web/assets/${file}`, (await stat(join(assets, file))).size)
  const sizeOf = (file: string) => sizes.get(file) ?? 0
  const page = join(folder, 'index.html')
  await writeFile(page, largeFirst(await readFile(page, 'utf8'), sizeOf))
  const manifest = JSON.parse(await readFile(join(folder, '.vite', 'manifest.json'), 'utf8')) as Manifest
  const pages = pagesOf(await readFile(join(root, 'web', 'routes.tsx'), 'utf8'))
  const preloads = pages.map(({ path, layout, module }) => ({
    path,
    files: filesOf(manifest, layout === 'shell' ? [...signedIn, module] : [module]).toSorted(
      (one, other) => sizeOf(other) - sizeOf(one),
    ),
    signed_in: layout === 'shell',
  }))
  await writeFile(join(folder, '.vite', 'preloads.json'), JSON.stringify(preloads))
}
