import * as z from 'zod/mini'
import { multisiteKinds, type MultisiteKind } from '#shared/rules/multisite.ts'
import { siteDatabases } from '#shared/rules/site-databases.ts'
import { maxConstantLength, maxConstants } from './site-constants.ts'

/** The format of exports and backups. Readers refuse a later version. */
export const exportFormat = { name: 'easydash-site', version: 1 } as const

/** Names in an export. */
export const exportNames = {
  manifest: 'manifest.json',
  dump: 'database.sql',
  readme: 'README.txt',
  files: 'files',
} as const

/** Files that a manifest can name: readers take so many, so nothing with more is packed. */
export const maxManifestFiles = 1_000_000

const text = (length: number) => z.string().check(z.maxLength(length))
const count = z.number().check(z.nonnegative())

/** A file of the site, with its path below the folder `files`. */
export const manifestFile = z.object({ path: text(4096), size: count, sha256: text(64) })

/** See `manifestFile`. */
export type ManifestFile = z.infer<typeof manifestFile>

/** `manifest.json` of exports and backups. */
export const siteManifest = z.object({
  format: z.literal(exportFormat.name),
  version: z.number(),
  created: text(40),
  /** Name of the site. */
  site: text(253),
  /** Name of the engine it ran on. */
  engine: text(20),
  type: z.enum(['wp', 'php', 'html']),
  url: text(300),
  title: z.nullable(text(200)),
  php_version: z.nullable(text(10)),
  wordpress_version: z.nullable(text(40)),
  // It becomes a part of wp-config.php; WordPress allows letters, digits and underscores.
  table_prefix: z.nullable(z.string().check(z.regex(/^\w{1,40}$/))),
  /** What a local WordPress had its database on; missing in older archives and in those of other engines. */
  database_kind: z.optional(z.enum(siteDatabases)),
  /** The kind of network that it is; null for a single site. The first archives of this machine do not have it. */
  network: z.optional(z.nullable(z.enum(multisiteKinds))),
  /** What somebody added to `wp-config.php`; the first archives do not have it. */
  constants: z.optional(
    z
      .record(text(100), z.union([text(maxConstantLength), z.number(), z.boolean(), z.null()]))
      .check(z.refine((constants) => Object.keys(constants).length <= maxConstants)),
  ),
  /** The dump; null for sites without a database. */
  database: z.nullable(z.object({ file: text(100), bytes: count, sha256: text(64) })),
  /** Rows of each table. */
  tables: z.record(text(100), count),
  /** Every file of the site. */
  files: z.array(manifestFile),
  /** What WordPress says it has. */
  counts: z.object({
    posts: count,
    pages: count,
    comments: count,
    uploads: count,
    plugins: count,
    themes: count,
    users: count,
  }),
  /** Pages as visitors saw them, first the homepage: status and title; `whole: false` if their HTML did not end as HTML does. */
  pages: z
    .array(z.object({ path: text(1000), status: count, title: text(300), whole: z.optional(z.boolean()) }))
    .check(z.maxLength(5)),
  left_out: z.array(text(200)).check(z.maxLength(100)),
  /** What the site has and an archive can't: tables of other kinds, links, special files. */
  not_packed: z.optional(z.array(text(200)).check(z.maxLength(100))),
})

/** Links and special files of a site, as `not_packed` names them. */
export const othersNotPacked = (count: number): string[] => (count > 0 ? [`${count} links or special files`] : [])

/** See `siteManifest`. */
export type SiteManifest = z.infer<typeof siteManifest>

/** Its text, in pieces. One line for each file: people can read it, and it stays small. */
export function* manifestPieces({ files, ...manifest }: SiteManifest): Generator<Buffer, void, undefined> {
  const [begin = '', end = ''] = JSON.stringify({ ...manifest, files: '@' }, null, 2).split('"files": "@"')
  let piece = `${begin}"files": [`
  for (const [number, file] of files.entries()) {
    piece += `${number === 0 ? '' : ','}\n    ${JSON.stringify(file)}`
    if (piece.length < 65_536) continue
    yield Buffer.from(piece)
    piece = ''
  }
  yield Buffer.from(`${piece}\n  ]${end}`)
}

/** Bytes of its text. */
export function manifestBytes(manifest: SiteManifest): number {
  let bytes = 0
  for (const piece of manifestPieces(manifest)) bytes += piece.length
  return bytes
}

/** The same with the number of its files only: there can be hundreds of thousands. */
export type ManifestSummary = Omit<SiteManifest, 'files'> & { readonly files: number }

/**
 * The kind of network in an archive; null for a single site. A single site can have the tables of a network that it no longer is, or of
 * another site in its database, so they count only in archives of this machine from before the kind was named.
 */
export function networkIn({ network, engine, tables, table_prefix: prefix }: ManifestSummary): MultisiteKind | null {
  if (network !== undefined) return network
  return engine === 'local' && prefix !== null && Object.hasOwn(tables, `${prefix}sitemeta`) ? 'subdir' : null
}
