import * as z from 'zod/mini'

/** The format of exports and backups. Readers refuse a later version. */
export const exportFormat = { name: 'easydash-site', version: 1 } as const

/** Names in an export. */
export const exportNames = {
  manifest: 'manifest.json',
  dump: 'database.sql',
  readme: 'README.txt',
  files: 'files',
} as const

/** Bytes of a manifest that are read: a line of some 150 bytes for each of at most 400,000 files. */
export const maxManifestBytes = 64 * 1_048_576

const text = (length: number) => z.string().check(z.maxLength(length))
const count = z.number().check(z.nonnegative())

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
  /** The dump; null for sites without a database. */
  database: z.nullable(z.object({ file: text(100), bytes: count, sha256: text(64) })),
  /** Rows of each table. */
  tables: z.record(text(100), count),
  /** Every file of the site, with its path below the folder `files`. */
  files: z.array(z.object({ path: text(4096), size: count, sha256: text(64) })),
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
  /** Pages as visitors saw them, first the homepage: status and title. */
  pages: z.array(z.object({ path: text(1000), status: count, title: text(300) })).check(z.maxLength(5)),
  left_out: z.array(text(200)).check(z.maxLength(100)),
})

/** See `siteManifest`. */
export type SiteManifest = z.infer<typeof siteManifest>

/** Its text. One line for each file: people can read it, and it stays small. */
export function manifestText({ files, ...manifest }: SiteManifest): string {
  const lines = files.map((file) => JSON.stringify(file)).join(',\n    ')
  return JSON.stringify({ ...manifest, files: '@' }, null, 2).replace(
    '"files": "@"',
    () => `"files": [\n    ${lines}\n  ]`,
  )
}

/** The same with the number of its files only: there can be hundreds of thousands. */
export type ManifestSummary = Omit<SiteManifest, 'files'> & { readonly files: number }
