import { randomBytes } from 'node:crypto'
import { siteFileLimits } from '#shared/rules/site-files.ts'
import { msg } from '#shared/localized-message.ts'
import {
  changedMeanwhile,
  closed,
  FileRefusal,
  missing,
  notInTrash,
  notPlain,
  taken,
} from '#server/platform/tree-files/refusal.ts'
import type { ServerRef, SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { change, look, outputOf, persistent, type ScriptCall, type ScriptResult } from './remote.ts'
import { existingSite, workdirOf } from './site-of.ts'

/** A path, or where one goes. */
type Path = string | { readonly from: string; readonly to: string }

/** What the script does with the files of a site. */
export interface FilesCall {
  readonly verb: string
  /** Default: `files`. */
  readonly script?: 'files' | 'files-unpack'
  /** They have been checked. */
  readonly paths: readonly Path[]
  /** What a refusal names by the number of its line; default: `paths`. */
  readonly names?: readonly Path[]
  readonly args?: readonly string[]
  /** As from `newOperation`. */
  readonly operation?: string
  readonly signal?: AbortSignal | undefined
  readonly deadlineMs?: number
  readonly maxBytes?: number
  /** As from `folderOfSite`, for an operation of many calls; default: the server is asked. */
  readonly workdir?: string
}

/** Bytes of all paths, which have to fit into the text of a script. */
const maxListBytes = 45_000

/** The id of a change, and of what it puts into the trash: it begins with the time. */
export const newOperation = (now: number): string => `${timePart(now)}-${randomBytes(8).toString('hex')}`

const timePart = (ms: number): string => Math.max(0, Math.round(ms)).toString(36).padStart(8, '0')

/** Ids in the trash below this one are too old at a time. */
const oldestAt = (now: number): string => timePart(now - siteFileLimits.trashDays * 86_400_000)

/** Such an id. */
export const operationForm = /^([0-9a-z]{8})-[0-9a-f]{16}$/

/** A path as one line that `%b` of printf reads back, whatever characters it has. */
export const encodedPath = (path: string): string =>
  path.replaceAll(/[\\\n\t]/g, (char) => `\\0${char.charCodeAt(0).toString(8).padStart(3, '0')}`)

/** A path as `encodedPath` wrote it. */
export const decodedPath = (line: string): string =>
  line.replaceAll(/\\0(\d{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

/** Reads something about files, beside whatever changes the server at the moment. */
export async function lookAtFiles(context: EeContext, site: SiteRef, call: FilesCall): Promise<string> {
  return answerOf(call, await look(context, site.server, { ...(await scriptOf(context, site, call)), isLong: true }))
}

/** Changes files. A call whose connection breaks is made again, and the server does what it names only once. */
export async function changeFiles(context: EeContext, site: SiteRef, call: FilesCall): Promise<string> {
  const script = await scriptOf(context, site, call)
  const patience = call.signal ?? AbortSignal.timeout(call.deadlineMs ?? 60_000)
  return answerOf(call, await persistent(context, patience, () => change(context, site.server, script)))
}

/** Words before the arguments of a verb. */
export async function filesArgs(
  context: EeContext,
  site: SiteRef,
  { verb, operation = '-', signal, workdir }: Pick<FilesCall, 'verb' | 'operation' | 'signal' | 'workdir'>,
): Promise<string[]> {
  return [site.domain, workdir ?? (await folderOfSite(context, site, signal)), verb, operation]
}

/** The folder that a site serves, inside of its container. Throws EngineError `not_found` for one that is not on its server. */
export async function folderOfSite(context: EeContext, site: SiteRef, signal?: AbortSignal): Promise<string> {
  return workdirOf((await existingSite(context, site, signal)).row)
}

async function scriptOf(context: EeContext, site: SiteRef, call: FilesCall): Promise<ScriptCall> {
  const { paths, args = [], signal, deadlineMs, maxBytes } = call
  const list = paths
    .map((path) =>
      typeof path === 'string' ? encodedPath(path) : `${encodedPath(path.from)}\t${encodedPath(path.to)}`,
    )
    .join('\n')
  if (Buffer.byteLength(list) > maxListBytes)
    throw new FileRefusal(
      'invalid',
      msg`The names of the chosen files are too long together.`,
      msg`Choose fewer at once.`,
    )
  return {
    script: call.script ?? 'files',
    args: [...(await filesArgs(context, site, call)), ...args],
    variables: { list, oldest: oldestAt(Date.now()) },
    signal,
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  }
}

/** What became too old just now may be on its way back. */
const graceMs = 600_000

/** Removes what was deleted long enough ago, and what calls that broke off left, beside all sites of a server. */
export async function sweepFiles(context: EeContext, server: ServerRef): Promise<void> {
  const variables = { oldest: oldestAt(Date.now() - graceMs) }
  outputOf(await look(context, server, { script: 'sweep-files', args: [], variables }))
}

/** What the script printed. Throws FileRefusal for what it refused. */
export function answerOf({ paths, names = paths }: Pick<FilesCall, 'paths' | 'names'>, ended: ScriptResult): string {
  const refusal = refusals[ended.code ?? 0]
  if (refusal === undefined) return outputOf(ended)
  const said = ended.stdout.trim()
  const path = said.startsWith('path ') ? said.slice(5, 4_005) : (names[Number(said)] ?? '')
  const { from, to } = typeof path === 'string' ? { from: path, to: path } : path
  throw refusal(from, to)
}

const refusals: Readonly<Record<number, (from: string, to: string) => FileRefusal>> = {
  20: missing,
  21: (_from, to) => taken(to),
  22: notPlain,
  23: closed,
  24: changedMeanwhile,
  25: () =>
    new FileRefusal(
      'invalid',
      msg`The disk of the server has no room for this.`,
      msg`Delete what is not needed there.`,
    ),
  26: notInTrash,
}
