import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { packageChecksum, type PackageChecksum } from '#shared/responses/package-checksums.ts'
import { wordpressFacts } from '#shared/responses/wordpress.ts'
import type { LocalContext } from '../local-context.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { runScript, type ScriptContext } from '../wordpress/run-script.ts'
import { unreadable } from '../../wordpress-scripts.ts'
import { createOriginals, homeOf, type InstalledPackage, type Original } from './originals.ts'

/** Files in one call: their checksums fit into a message. */
const atOnce = 5_000
/** Most files of a package: what was added is found in one call. */
const maxFiles = 20_000
const maxListed = 100

const compared = z.pick(packageChecksum, { checked: true, changed: true, added: true, missing: true, truncated: true })
type Compared = z.infer<typeof compared>
const nothing: Compared = { checked: 0, changed: [], added: [], missing: [], truncated: false }

/** See `WordPressFiles.verifyPackages`. */
export async function verifyPackages(
  context: LocalContext,
  record: SiteRecord,
  signal: AbortSignal,
): Promise<PackageChecksum[]> {
  const find = createOriginals(context, record, signal)
  const results: PackageChecksum[] = []
  for (const { name, ...about } of await packagesOf(context, record, signal)) {
    const { type, version, folder, main } = about
    const original = await find(about)
    const found = 'sums' in original ? await compare(context, record, { about, original }, signal) : null
    const unchecked = 'unchecked' in original ? original.unchecked : found === null ? 'too_many' : null
    const source = 'sums' in original ? original.source : null
    const restorable = 'sums' in original && original.isKept
    results.push({ type, id: folder ?? main, name, version, source, unchecked, restorable, ...(found ?? nothing) })
  }
  return results
}

/** The plugins and themes, read without the site's own code: it could lie about its version. */
export async function packagesOf(
  context: ScriptContext,
  record: SiteRecord,
  signal: AbortSignal,
): Promise<(InstalledPackage & { readonly name: string })[]> {
  const read = await runScript(context, record, { script: 'inspect', input: { safe: true }, signal })
  const { data } = wordpressFacts.safeParse({ ...read, broken: null })
  if (!data) throw unreadable()
  const plugins = data.plugins.flatMap(({ kind, id, name, version }) => {
    if (kind !== 'plugin') return []
    const folder = id.includes('/') ? (id.split('/')[0] ?? null) : null
    return [{ type: 'plugin' as const, folder, main: id, name, version }]
  })
  const themes = data.themes.map(({ id, name, version }) => ({
    type: 'theme' as const,
    folder: id,
    main: `${id}/style.css`,
    name,
    version,
  }))
  // Several plugins in one folder are one package.
  const seen = new Set<string>()
  return [...plugins, ...themes].slice(0, 400).filter(({ type, folder, main }) => {
    const key = `${type} ${folder ?? main}`
    return !seen.has(key) && seen.add(key)
  })
}

/** Null: it has too many files. */
async function compare(
  context: LocalContext,
  record: SiteRecord,
  { about, original }: { readonly about: InstalledPackage; readonly original: Extract<Original, { sums: unknown }> },
  signal: AbortSignal,
): Promise<Compared | null> {
  const { sums } = original
  if (sums.length > maxFiles) return null
  const folder = about.folder === null ? homeOf(about.type) : `${homeOf(about.type)}/${about.folder}`
  const known = about.folder === null ? null : sums.map(([path]) => keyOf(path))
  let total: Compared = nothing
  for (let at = 0; at < Math.max(sums.length, 1); at += atOnce) {
    const checksums = Object.fromEntries(sums.slice(at, at + atOnce))
    const input = { folder, checksums, known: null as readonly string[] | null }
    if (at === 0) input.known = known
    const { data } = compared.safeParse(await runScript(context, record, { script: 'checksum', input, signal }))
    if (!data) throw unreadable()
    total = merged(total, data)
  }
  return total
}

const keyOf = (path: string) => createHash('md5').update(path).digest('hex').slice(0, 16)

function merged(one: Compared, other: Compared): Compared {
  const lists = (['changed', 'added', 'missing'] as const).map((kind) => [...one[kind], ...other[kind]])
  const [changed = [], added = [], missing = []] = lists.map((paths) => paths.slice(0, maxListed))
  return {
    checked: one.checked + other.checked,
    ...{ changed, added, missing },
    truncated: one.truncated || other.truncated || lists.some((paths) => paths.length > maxListed),
  }
}
