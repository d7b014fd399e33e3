import { folderOf, isOwnFile, nameOf, pathIn } from '#shared/rules/site-files.ts'
import type { SiteKind } from '../../site-ref.ts'
import type { ImportSource } from '#shared/responses/site-imports.ts'
import { exportNames, type SiteManifest } from '../../site-manifest.ts'
import type { SiteArchive } from '../archives/site-archive.ts'

/** A file or folder of an archive. */
export interface PlannedMember {
  readonly path: string
  readonly isFolder: boolean
  /** Null if only reading it tells. */
  readonly size: number | null
}

/** What is done with an archive. */
export interface ArchivePlan {
  readonly source: ImportSource
  readonly siteType: SiteKind
  /** Folder of the archive whose files become those of the site. */
  readonly root: string
  /** Where in the site they go. */
  readonly into: '' | 'wp-content'
  /** Whether the archive has a whole WordPress, so that no other one is put below it. */
  readonly hasCore: boolean
  /** The dump of the database; null without one. */
  readonly dump: string | null
}

/** What a WordPress needs besides `wp-includes/version.php`. */
const coreFiles = ['wp-load.php', 'wp-settings.php', 'wp-admin/admin.php', 'index.php']
/** Files of other systems, and what archivers of macOS add. */
const litter = /^(?:__MACOSX\/|.*\/)?(?:\.DS_Store|Thumbs\.db|\._[^/]*)$/
/**
 * Not taken over: the configuration and the database of another server, and programs of WordPress that talk to services of
 * that server.
 */
const foreign = new Set([
  'wp-config.php',
  'wp-content/object-cache.php',
  'wp-content/advanced-cache.php',
  'wp-content/db-error.php',
  'wp-content/cache',
  'wp-content/upgrade',
  'wp-content/upgrade-temp-backup',
  '.user.ini',
  'php.ini',
])

/**
 * What the writers of archives add at their top: descriptions and dumps. The installer of Duplicator must not be served: it
 * asks whoever comes first for a database.
 */
const additions: Partial<Record<ImportSource, RegExp>> = {
  wpress: /^(?:package|multisite|blogs|settings)\.json$/,
  duplicator:
    /^(?:dup-installer(?:\/|$)|[^/]{0,200}installer(?:-backup)?\.php(?:\.bak)?$|dup-(?:database|wp-config-arc)__[^/]{0,200}$)/,
}

/** Finds out what an archive contains; null if it is no site. Shallow things go first, so that a copy inside is not taken. */
export function planArchive(
  { source, members, facts }: Pick<SiteArchive, 'source' | 'facts'> & { readonly members: readonly PlannedMember[] },
  manifest: Pick<SiteManifest, 'type' | 'database'> | null,
): ArchivePlan | null {
  const files = members.filter(({ path, isFolder }) => !isFolder && !isLitter(path))
  const names = new Set(files.map(({ path }) => path))
  const wordpress = { siteType: 'wp', into: '', dump: source === null ? dumpOf(files) : facts.dump } as const
  if (source === 'wpress' || source === 'updraftplus')
    return { ...wordpress, source, root: '', into: 'wp-content', hasCore: false }
  if (source === 'wxr') return { ...wordpress, source, root: '', hasCore: false }
  if (source === 'duplicator')
    return {
      ...wordpress,
      source,
      root: '',
      hasCore: [...coreFiles, 'wp-includes/version.php'].every((name) => names.has(name)),
    }
  if (manifest !== null) {
    return {
      source: 'easydash',
      siteType: manifest.type,
      root: exportNames.files,
      into: '',
      hasCore: manifest.type === 'wp',
      dump: manifest.database?.file ?? null,
    }
  }
  const version = shallowest(
    files,
    (path) => path === 'wp-includes/version.php' || path.endsWith('/wp-includes/version.php'),
  )
  if (version !== null) {
    const root = folderOf(folderOf(version))
    const hasCore = coreFiles.every((name) => names.has(pathIn(root, name)))
    return { ...wordpress, source: 'wordpress', root, hasCore }
  }
  const content = shallowest(files, (path) => /(?:^|\/)wp-content\//.test(path))
  if (content !== null) {
    const at = content.startsWith('wp-content/') ? 0 : content.indexOf('/wp-content/')
    return {
      ...wordpress,
      source: 'wordpress',
      root: content.slice(0, Math.max(0, at)),
      hasCore: false,
    }
  }
  const theme = shallowest(files, (path) => /(?:^|\/)themes\/[^/]+\/style\.css$/.test(path))
  if (theme !== null && wordpress.dump !== null) {
    const root = folderOf(folderOf(folderOf(theme)))
    return { ...wordpress, source: 'wordpress', root, into: 'wp-content', hasCore: false }
  }
  const page = shallowest(files, (path) => /^index\.(?:php|html?)$/i.test(nameOf(path)))
  if (page === null) return null
  const siteType = /\.php$/i.test(page) ? 'php' : 'html'
  return { source: siteType, siteType, root: folderOf(page), into: '', hasCore: false, dump: null }
}

/** Where a member goes in the site, or why it doesn't: `apart` is not of the site, `foreign` stays out. */
export function targetOf(plan: ArchivePlan, path: string): { to: string } | 'apart' | 'foreign' {
  if (isLitter(path) || path === plan.dump || additions[plan.source]?.test(path)) return 'apart'
  const inside = plan.root === '' ? path : path.startsWith(`${plan.root}/`) ? path.slice(plan.root.length + 1) : ''
  if (inside === '') return 'apart'
  const to = plan.into === '' ? inside : pathIn(plan.into, inside)
  if (plan.siteType !== 'wp') return { to }
  if (
    !plan.hasCore &&
    to !== 'wp-config.php' &&
    plan.into === '' &&
    to !== 'wp-content' &&
    !to.startsWith('wp-content/') &&
    /^wp-/.test(to)
  )
    return 'apart'
  if (/\.sql(?:\.gz)?$/i.test(to) && !to.includes('/')) return 'apart'
  for (let at = to.indexOf('/'); ; at = to.indexOf('/', at + 1)) {
    if (foreign.has(at < 0 ? to : to.slice(0, at))) return 'foreign'
    if (at < 0) break
  }
  return isOwnFile(to) ? 'foreign' : { to }
}

/** The same for a backup: everything but the configuration, and what connects WordPress to its database, is as it was. */
export function wholeTargetOf({ root, siteType }: ArchivePlan, path: string): { to: string } | 'apart' | 'foreign' {
  if (!path.startsWith(`${root}/`)) return 'apart'
  const to = path.slice(root.length + 1)
  return siteType === 'wp' && (to === 'wp-config.php' || isOwnFile(to)) ? 'foreign' : { to }
}

/** The configuration of the WordPress in an archive. */
export function configOf(plan: ArchivePlan): string {
  return pathIn(plan.root, 'wp-config.php')
}

/** Whether a member is none of its makers. */
function isLitter(path: string): boolean {
  return path.startsWith('__MACOSX/') || litter.test(path)
}

function shallowest(files: readonly PlannedMember[], isWanted: (path: string) => boolean): string | null {
  let best: string | null = null
  for (const { path } of files) if (isWanted(path) && (best === null || depth(path) < depth(best))) best = path
  return best
}

const depth = (path: string): number => path.split('/').length

/** The largest dump that no plugin or theme brought along. */
function dumpOf(files: readonly PlannedMember[]): string | null {
  const found = files.filter(
    ({ path }) => /\.sql$/i.test(path) && !/(?:^|\/)(?:plugins|themes|mu-plugins|node_modules|vendor)\//.test(path),
  )
  return found.toSorted((a, b) => (b.size ?? 0) - (a.size ?? 0))[0]?.path ?? null
}

/** The manifest's name, for readers. */
export const manifestName = exportNames.manifest
