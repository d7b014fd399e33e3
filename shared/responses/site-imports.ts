import * as z from 'zod/mini'
import { described } from '../schema.ts'

/** What can be wrong with an imported site. */
export const importDefects = [
  'statement',
  'refused_statement',
  'long_statement',
  'row',
  'other_tables',
  'left_out',
  'part_missing',
  'part_left_out',
  'table_missing',
  'rows_differ',
  'files_differ',
  'own_code_failed',
  'page_status',
  'page_title',
  'original',
  'media',
  'serialized',
  'link',
  'plugin_missing',
  'theme_missing',
  'unfinished',
] as const

/** Who wrote what was imported; `wordpress`, `php`, `html`: a ZIP file with such a site. */
export const importSources = [
  'easydash',
  'wpress',
  'updraftplus',
  'duplicator',
  'wxr',
  'wordpress',
  'php',
  'html',
] as const
/** See `importSources`. */
export type ImportSource = (typeof importSources)[number]

/** What an import counted. `original`: pages that the site still shows at its old address; 0 are expected if nothing answers there. */
export const importCounts = ['tables', 'rows', 'files', 'pages', 'media', 'serialized', 'links', 'original'] as const

const text = (length: number) => z.string().check(z.maxLength(length))

/** How an imported site compares with what was imported. */
export const importReport = z.object({
  source: z.enum(importSources),
  file: text(255),
  /** Address that the site had; null if it is not known. */
  from: z.nullable(text(300)),
  /** Milliseconds since 1970. */
  at: z.number(),
  counts: z.array(
    z.object({
      what: z.enum(importCounts),
      /** Null: not known in advance. */
      expected: z.nullable(z.number()),
      found: z.number(),
    }),
  ),
  defects: z.array(z.object({ kind: z.enum(importDefects), what: text(300), detail: text(300) })),
  /** Defects that are not listed. */
  more: z.number(),
})

/** What the action `read_import_report` returns; null if there is no report. */
export const storedImportReport = z.nullable(importReport)

/** See `importReport`. */
export type ImportReport = z.infer<typeof importReport>
/** One of its defects. */
export type ImportDefect = ImportReport['defects'][number]

/** What the upload of an archive with a site returns. */
export const importedSite = z.object({
  job: described(z.string(), 'Name of the job that imports the site'),
  site: described(z.string(), 'Name of the new site'),
})
