/** Comparison of files with their checksums by the script `checksum`, which loads nothing of the site, wherever it runs. */
import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { msg } from '#shared/localized-message.ts'
import { packageChecksum, type PackageChecksum } from '#shared/responses/package-checksums.ts'
import { checksumReport, type ChecksumReport } from '#shared/responses/wordpress-checksum.ts'
import { wordpressFacts } from '#shared/responses/wordpress.ts'
import { isLocale } from '#shared/rules/wordpress-settings.ts'
import { isStableVersion } from '#shared/rules/wordpress-versions.ts'
import { EngineError } from './engine.ts'
import type { CoreSums, PackageAbout, Original, Sums } from './wordpress-catalogue.ts'
import { unreadable, type RunWordPressScript } from './wordpress-scripts.ts'

/** Files in one call: their checksums fit into a message, and into a command of a server. */
const atOnce = 1_000
/** Names in one call, of which more than the files are told to find what was added. */
const namesAtOnce = 4_000
/** Most files of a package. */
const maxFiles = 20_000

const found = z.pick(packageChecksum, { checked: true, truncated: true })
const list = z.array(z.string().check(z.maxLength(300)))
const compared = z.extend(found, {
  changed: list.check(z.maxLength(500)),
  added: list.check(z.maxLength(500)),
  missing: list.check(z.maxLength(500)),
})
type Compared = z.infer<typeof compared>
const nothing: Compared = { checked: 0, changed: [], added: [], missing: [], truncated: false }

/** The version that the files of a WordPress say. */
export async function filesVersion(run: RunWordPressScript, signal?: AbortSignal): Promise<string> {
  return (await filesPackage(run, signal)).version
}

/** The package that the files of a WordPress say they are of: its version, and its language if that is not the usual one. */
async function filesPackage(run: RunWordPressScript, signal?: AbortSignal) {
  const { version, locale } = await run('checksum', {}, signal)
  if (typeof version === 'string' && isStableVersion(version))
    return { version, locale: typeof locale === 'string' && isLocale(locale) && locale !== 'en_US' ? locale : null }
  throw new EngineError('unavailable', msg`The version of WordPress can’t be read from its files.`, {
    nextAction: msg`Reinstall WordPress on the site.`,
  })
}

/**
 * Compares a site's WordPress with the pristine package. Bundled plugins and themes are not part of it: sites update and delete
 * them on their own.
 */
export async function verifyCore(
  run: RunWordPressScript,
  pristine: (version: string, locale: string | null) => Promise<CoreSums>,
  signal: AbortSignal,
): Promise<ChecksumReport> {
  const { version, locale } = await filesPackage(run, signal)
  const { source, sums } = await pristine(version, locale)
  const result = await compare(run, { folder: null, sums, most: 500 }, signal)
  return checksumReport.parse({ ...result, version, source })
}

/** Throws EngineError `unavailable` unless a folder, below that of WordPress, has the files of a WordPress and no others. */
export async function assertPristine(
  run: RunWordPressScript,
  folder: string,
  { version, sums }: { readonly version: string; readonly sums: Sums },
  signal: AbortSignal,
): Promise<void> {
  const { changed, added, missing } = await compare(run, { folder, sums, most: 10 }, signal)
  const [wrong] = [...changed, ...added, ...missing]
  if (wrong === undefined) return
  throw new EngineError(
    'unavailable',
    msg`WordPress ${version} from wordpress.org does not match its published checksums (${wrong}); it was discarded.`,
    { retryable: true, nextAction: msg`Try again; if it stays, check what sits between the server and wordpress.org.` },
  )
}

/** Compares each plugin and theme with what `find` knows of its version. */
export async function verifyPackages(
  run: RunWordPressScript,
  find: (about: PackageAbout) => Promise<Original>,
  signal: AbortSignal,
): Promise<PackageChecksum[]> {
  const results: PackageChecksum[] = []
  for (const { name, ...about } of await packagesOf(run, signal)) {
    const { type, version, folder, main } = about
    const original = await find(about)
    const comparison = 'sums' in original ? await comparePackage(run, about, original.sums, signal) : null
    const unchecked = 'unchecked' in original ? original.unchecked : comparison === null ? 'too_many' : null
    const source = 'sums' in original ? original.source : null
    const restorable = 'sums' in original && original.isKept
    results.push({
      ...{ type, id: folder ?? main, name, version, source, unchecked, restorable },
      ...(comparison ?? nothing),
    })
  }
  return results
}

/** The plugins and themes, read without the site's own code: it could lie about its version. */
export async function packagesOf(
  run: RunWordPressScript,
  signal: AbortSignal,
): Promise<(PackageAbout & { readonly name: string })[]> {
  const { data } = wordpressFacts.safeParse({ ...(await run('inspect', { safe: true }, signal)), broken: null })
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

/** Folder of all packages of a type, below the folder of WordPress. */
export const homeOf = (type: PackageAbout['type']): string => `wp-content/${type}s`

/** Null: it has too many files. */
async function comparePackage(
  run: RunWordPressScript,
  { type, folder }: PackageAbout,
  sums: Sums,
  signal: AbortSignal,
): Promise<Compared | null> {
  if (sums.length > maxFiles) return null
  const home = homeOf(type)
  // Beside a plugin that is a single file are others.
  const call = { folder: folder === null ? home : `${home}/${folder}`, sums, most: 100, isShared: folder === null }
  return compare(run, call, signal)
}

interface Comparison {
  /** Below the folder of WordPress; null: of WordPress itself. */
  readonly folder: string | null
  readonly sums: Sums
  /** Most paths of a list. */
  readonly most: number
  /** Others have files in the folder, too. */
  readonly isShared?: boolean
}

async function compare(
  run: RunWordPressScript,
  { folder, sums, most, isShared = false }: Comparison,
  signal: AbortSignal,
): Promise<Compared> {
  let total = nothing
  const add = async (input: Readonly<Record<string, unknown>>) => {
    const { data } = compared.safeParse(await run('checksum', { folder, most, ...input }, signal))
    if (!data) throw unreadable()
    total = merged(total, data, most)
  }
  for (let at = 0; at < sums.length; at += atOnce)
    await add({ checksums: Object.fromEntries(sums.slice(at, at + atOnce)) })
  if (isShared) return total
  const keys = sums.map(([path]) => keyOf(path))
  for (const first of keys.length > namesAtOnce ? [...'0123456789abcdef'] : [''])
    await add({ known: keys.filter((key) => key.startsWith(first)), first })
  return total
}

const keyOf = (path: string) => createHash('md5').update(path).digest('hex').slice(0, 16)

function merged(one: Compared, other: Compared, most: number): Compared {
  const lists = (['changed', 'added', 'missing'] as const).map((kind) => [...one[kind], ...other[kind]])
  const [changed = [], added = [], missing = []] = lists.map((paths) => paths.slice(0, most))
  return {
    checked: one.checked + other.checked,
    ...{ changed, added, missing },
    truncated: one.truncated || other.truncated || lists.some((paths) => paths.length > most),
  }
}
