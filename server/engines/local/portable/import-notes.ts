import { join } from 'node:path'
import { readFileIfExists } from '#server/platform/files/read-file-if-exists.ts'
import type { importDefects, ImportDefect } from '#shared/responses/site-imports.ts'
import { parseOwnJson } from '#shared/parse-json.ts'
import type { ManifestSummary } from '../../site-manifest.ts'
import type { LocalContext } from '../local-context.ts'
import { writeJson } from '../sites/site-store.ts'
import type { UnpackedSite } from '../trees/import-task.ts'

/** Most defects that are named. */
const maxDefects = 300
/** Most bytes they take together as JSON. A JSON field of a document has 64 KB. */
const maxDefectBytes = 48_000

/** What the steps of an import found out, in a file beside the site that only we can read. */
export interface ImportNotes {
  readonly files: { readonly count: number; readonly bytes: number } | null
  readonly prefix: string | null
  /** The dump is in the database, and its file is not needed any more. */
  readonly hasDatabase: boolean
  /** Rows that the dump has, of each table that was imported. */
  readonly rows: readonly (readonly [table: string, rows: number])[]
  /** Address that the site had, without a slash at its end. */
  readonly from: string | null
  /** What a backup says of its site; null for anything else. */
  readonly manifest: ManifestSummary | null
  /** Files of a backup that are not as its manifest says. */
  readonly damaged: UnpackedSite['damaged']
  readonly defects: readonly ImportDefect[]
  readonly more: number
}

const none: ImportNotes = {
  ...{ files: null, prefix: null, hasDatabase: false, rows: [], from: null },
  ...{ manifest: null, damaged: { count: 0, names: [] }, defects: [], more: 0 },
}

const fileOf = ({ store }: LocalContext, id: string): string => join(store.paths(id).folder, 'import.json')

/** The notes of a site. */
export async function readNotes(context: LocalContext, id: string): Promise<ImportNotes> {
  const text = await readFileIfExists(fileOf(context, id))
  return text === null ? none : parseOwnJson<ImportNotes>(text)
}

/** Replaces some of the notes. */
export async function note(context: LocalContext, id: string, more: Partial<ImportNotes>): Promise<ImportNotes> {
  const notes = { ...(await readNotes(context, id)), ...more }
  await writeJson(fileOf(context, id), notes)
  return notes
}

/** Defects of some kinds replace those of an earlier attempt. */
export function withDefects(
  notes: ImportNotes,
  kinds: readonly ImportDefect['kind'][],
  found: readonly ImportDefect[],
): Pick<ImportNotes, 'defects' | 'more'> {
  const all = [...notes.defects.filter(({ kind }) => !kinds.includes(kind)), ...found]
  return named(all)
}

/** The defects that are named, and how many are only counted. */
export function named(all: readonly ImportDefect[]): Pick<ImportNotes, 'defects' | 'more'> {
  let bytes = 0
  const rest = all.findIndex((one, at) => {
    bytes += Buffer.byteLength(JSON.stringify(one)) + 1
    return at >= maxDefects || bytes > maxDefectBytes
  })
  const count = rest === -1 ? all.length : rest
  return { defects: all.slice(0, count), more: all.length - count }
}

/** A defect, with its texts as long as they can be. */
export function defect(kind: (typeof importDefects)[number], what: string, detail = ''): ImportDefect {
  return { kind, what: what.slice(0, 300), detail: detail.slice(0, 300) }
}
