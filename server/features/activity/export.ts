import { binary, described } from '#shared/schema.ts'
import { Readable } from 'node:stream'
import { download } from '#server/contracts/files.ts'
import { isMember, accessContextIn } from '#server/documents/documents.ts'
import type { Documents } from '#server/contracts/documents.ts'
import { defineMethod } from '#server/contracts/method.ts'
import type { Session } from '#server/contracts/session.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { AppError } from '#shared/errors.ts'
import { json, select } from '#shared/fields.ts'
import { omittedOf, omittedText } from '#shared/omitted-value.ts'
import { csvFile, csvRow } from '#shared/rules/csv.ts'

/** Columns of an export, in order; columns the caller may not read are left out. */
const columns = ['name', 'creation', ...Object.keys(ActivityDoctype.fields)].filter(
  (name) => !ActivityDoctype.fields[name as keyof typeof ActivityDoctype.fields]?.hidden && !name.endsWith('_i18n'),
)

/** The two value columns of an entry. */
const sides: ReadonlySet<string> = new Set(['before', 'after'])

/** A value column for display: values too large to store are shown as their size and SHA-256. */
function readableSide(side: unknown): unknown {
  if (typeof side !== 'object' || side === null) return side
  return Object.fromEntries(
    Object.entries(side).map(([name, value]) => {
      const omitted = omittedOf(value)
      return [name, omitted === null ? value : omittedText(omitted)]
    }),
  )
}

/** Rows read at a time. Every page checks permissions again: revoked permissions end the export. */
const pageSize = 500

type Row = Record<string, unknown> & { name: string; creation: string }

interface Formats {
  readonly type: string
  readonly head: string
  readonly row: (row: Row) => string
}

const formats = {
  csv: {
    type: 'text/csv; charset=utf-8',
    head: csvFile([columns]),
    row: (row) => csvRow(columns.map((name) => (sides.has(name) ? readableSide(row[name]) : row[name]))),
  },
  jsonl: {
    type: 'application/jsonl; charset=utf-8',
    head: '',
    row: (row) => `${JSON.stringify(row)}\n`,
  },
} satisfies Record<string, Formats>

/** Maximum size of the filters in bytes: a list of 500 addresses fits. */
const maxFilterBytes = 262_144

/** Exports the activity log as a file: the same rows and filters as the list, newest first, streamed. */
export const exportActivityMethod = defineMethod({
  name: 'easydash.api.activity.export',
  access: 'verified',
  // POST, because the export itself is logged.
  verbs: ['POST'],
  tokens: 'activity:read',
  params: {
    format: select(['csv', 'jsonl'], { default: 'csv' }),
    filters: json({ description: 'As in the list.', max_bytes: maxFilterBytes }),
    or_filters: json({ description: 'As in the list.', max_bytes: maxFilterBytes }),
  },
  description:
    'Streams the activity log, newest first, limited to the entries the caller can read: CSV (cells that begin like a formula get an apostrophe) or JSON lines. The export itself is recorded in the log.',
  returns: described(binary, 'The file.'),
  async run(params, { session, documents }) {
    const query = { filters: params.filters, or_filters: params.or_filters }
    const name = params.format as keyof typeof formats
    const format: Formats = formats[name]
    // Loaded before anything is sent, so that a denial or invalid filter gets a proper error response.
    const first = await page(documents, session, query)
    await record(documents, session, { format: name, ...shortened(query) })
    const day = new Date().toISOString().slice(0, 10)
    return download({
      fileName: `activity-${session.organization ?? 'platform'}-${day}.${name}`,
      contentType: format.type,
      length: null,
      tag: null,
      open: () => Readable.from(lines(documents, session, query, first, format)),
    })
  },
})

interface Query {
  readonly filters: unknown
  readonly or_filters: unknown
}

/** The next page, as many rows as one list response can hold: those of many large entries are fewer. */
async function page(documents: Documents, session: Session, query: Query, after?: Row): Promise<Row[]> {
  const from = after ? { after: { creation: after.creation, name: after.name } } : {}
  for (let limit = pageSize; ; limit = Math.ceil(limit / 4)) {
    try {
      return (await documents.list(session, 'Activity', { ...query, ...from, fields: columns, limit })) as Row[]
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'limit_reached' || limit === 1) throw error
    }
  }
}

/** The file, one page per chunk. */
async function* lines(
  documents: Documents,
  session: Session,
  query: Query,
  first: Row[],
  format: Formats,
): AsyncGenerator<string> {
  yield format.head
  let rows = first
  while (rows.length > 0) {
    yield rows.map(format.row).join('')
    rows = await page(documents, session, query, rows.at(-1))
  }
}

/** Maximum length of logged filters, in characters. */
const longestFilters = 1000

/** The filters, truncated if long, because the log is never purged. */
function shortened(query: Query): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const text = JSON.stringify(value ?? null)
      return [name, text.length <= longestFilters ? value : `${text.slice(0, longestFilters).toWellFormed()}…`]
    }),
  )
}

/** Logs who exported what, in the log it was exported from. */
function record(documents: Documents, session: Session, what: Record<string, unknown>): Promise<void> {
  return documents.transaction(session, async (tx) => {
    const accessContext = await accessContextIn(tx.trx, session, session.organization)
    const organization = isMember(accessContext) ? session.organization : null
    await tx.activity({ organization, action: 'Activity.export', reference_doctype: 'Activity', after: what })
  })
}
