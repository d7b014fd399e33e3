import * as z from 'zod/mini'

/** The format of exports. Readers refuse a later version. */
export const exportFormat = { name: 'easydash-site', version: 1 } as const

/** Names in an export. */
export const exportNames = {
  manifest: 'manifest.json',
  dump: 'database.sql',
  readme: 'README.txt',
  files: 'files',
} as const

/** Bytes of a manifest that are read. */
export const maxManifestBytes = 1_048_576

const text = (length: number) => z.string().check(z.maxLength(length))
const count = z.number().check(z.nonnegative())

/** `manifest.json` of an export. */
export const siteManifest = z.object({
  format: z.literal(exportFormat.name),
  version: z.number(),
  created: text(40),
  site: z.object({
    type: z.enum(['wp', 'php', 'html']),
    domain: text(253),
    url: text(300),
    title: z.nullable(text(200)),
    php_version: z.nullable(text(10)),
    wordpress_version: z.nullable(text(40)),
    // It becomes a part of wp-config.php; WordPress allows letters, digits and underscores.
    table_prefix: z.nullable(z.string().check(z.regex(/^\w{1,40}$/))),
  }),
  database: z.nullable(
    z.object({
      file: text(100),
      bytes: count,
      sha256: text(64),
      tables: z.array(z.object({ name: text(100), rows: count })).check(z.maxLength(500)),
    }),
  ),
  files: z.object({ folder: text(100), count, bytes: count }),
  left_out: z.array(text(200)).check(z.maxLength(100)),
})

/** See `siteManifest`. */
export type SiteManifest = z.infer<typeof siteManifest>
