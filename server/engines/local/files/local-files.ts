import { chmod, lchown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { siteFileLimits } from '#shared/rules/site-files.ts'
import { msg } from '#shared/localized-message.ts'
import { createFairQueue, type FairQueue } from '#server/platform/fair-queue.ts'
import { exists } from '#server/platform/files/exists.ts'
import type { Room } from '#server/platform/tree-files/file-room.ts'
import type { FileTask, FileTasks } from '#server/platform/tree-files/file-tasks.ts'
import { missing, notPlain } from '#server/platform/tree-files/refusal.ts'
import { namesOf } from '#server/platform/tree-files/tree-path.ts'
import { openInPlace } from '#server/platform/trees/open-in-place.ts'
import { EngineError } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { SiteFileDownload, SiteFiles } from '../../site-files.ts'
import { createSiteFiles } from '../../site-files-rules.ts'
import type { LocalBase } from '../local-base.ts'
import type { SiteRuntime } from '../site-runtime.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { existingRecord } from '../sites/site-store.ts'
import type { SiteFolders } from '../trees/site-folders.ts'
import { settleChange } from './settle-change.ts'

/** Concurrent operations, each a process; one site can't delay the others. */
const atOnce = 4
/** Concurrent archives being downloaded; a slow line keeps one for long. */
const maxPacking = 8
/** Interval of looking for deleted files that are too old. */
const expireEveryMs = 3_600_000

const unlimited: Room = { bytes: Number.POSITIVE_INFINITY, entries: Number.POSITIVE_INFINITY }
/** Operations that add to the disk, and the room they get. */
const growing: ReadonlySet<keyof FileTasks> = new Set(['write', 'makeFolder', 'copy', 'put', 'unzip', 'zip'])
const reading: ReadonlySet<keyof FileTasks> = new Set(['list', 'read', 'trash'])

/** The files of local sites. */
export interface LocalFiles {
  readonly files: SiteFiles
  /**
   * Unpacks an archive of ours into a new folder of the site that neither visitors nor PHP know: PHP goes on. The archive is checked
   * as in `SiteFiles.unpack`.
   */
  unpackNew(record: SiteRecord, archive: string, into: string, signal?: AbortSignal): Promise<void>
  /** Deletes for good what `unpackNew` made. */
  removeNew(record: SiteRecord, path: string): Promise<void>
  /** Puts a copy of a file of ours where only the engine may put files; it counts toward the site's quota. */
  putOwn(record: SiteRecord, path: string, source: string, signal?: AbortSignal): Promise<void>
  /** Deletes for good what has been in the trash for long; looks once an hour. */
  expireTrash(): Promise<void>
}

type Context = LocalBase & SiteRuntime

/** Every operation runs in a process of its own, as the user of the site; nothing of a site is touched by this one. */
export function createLocalFiles(context: Context): LocalFiles {
  const { store, trees, now } = context
  const queue = createQueue()
  const turns = new Map<string, Promise<unknown>>()
  let packing = 0
  let nextExpiry = 0

  const run = async <T extends keyof FileTasks>(
    record: SiteRecord,
    task: T,
    input: FileTasks[T]['input'],
    {
      signal,
      source = null,
      isNew = false,
      onProgress,
    }: {
      signal?: AbortSignal | undefined
      source?: string | null
      isNew?: boolean
      onProgress?: ((done: number) => void) | undefined
    } = {},
  ): Promise<FileTasks[T]['result']> => {
    const folders = await siteFoldersOf(context, record)
    const room = growing.has(task) ? await context.storage.room(record) : unlimited
    const request = { ...folders, room, source, task: { task, input } as unknown as FileTask }
    const { value, added } = await trees.run('files', request, {
      ...(signal === undefined ? {} : { signal }),
      ...(onProgress === undefined ? {} : { onProgress: (_files: number, done = 0) => onProgress(done) }),
    })
    if (isNew) {
      context.storage.grown(record.id, added)
      context.awake.running(record.id)?.filesChanged({ paths: [], ...added })
    } else if (!reading.has(task)) await settleChange(context, record, request.task, added)
    return value as FileTasks[T]['result']
  }

  const files = createSiteFiles({
    now,
    hasDatabaseFiles: ({ siteType }) => siteType === 'wp',
    run: (site, task, input, options) => {
      const work = () =>
        queue.run({ key: site.id, known: true }, () => run(readyRecord(context, site), task, input, options))
      return reading.has(task) ? work() : inTurn(turns, site.id, work)
    },
    open: (site, path) => openFile(context, readyRecord(context, site), path),
    pack: async (site, paths) => {
      const folders = await siteFoldersOf(context, readyRecord(context, site))
      if (packing >= maxPacking) throw busy()
      packing += 1
      try {
        const stream = await trees.stream('zip', { ...folders, paths })
        stream.once('close', () => {
          packing -= 1
        })
        return stream
      } catch (error) {
        packing -= 1
        throw error
      }
    },
  })

  return {
    files,
    unpackNew: async (record, archive, into, signal) => {
      const input = { path: '', into, replace: true, ownFiles: false, keep: null }
      const unpack = () => run(record, 'unzip', input, { signal, source: archive, isNew: true })
      await inTurn(turns, record.id, () => queue.run({ key: record.id, known: true }, unpack))
    },
    removeNew: (record, path) =>
      inTurn(turns, record.id, async () => {
        // As if it had been deleted long ago.
        await run(record, 'remove', { paths: [path], now: 0 }, { isNew: true })
        await run(record, 'emptyTrash', { before: 1 })
      }),
    putOwn: async (record, path, source, signal) => {
      const input = { path, source: -1, replace: false, now: now() }
      await inTurn(turns, record.id, () =>
        queue.run({ key: record.id, known: true }, () => run(record, 'put', input, { signal, source })),
      )
    },
    expireTrash: async () => {
      if (now() < nextExpiry) return
      nextExpiry = now() + expireEveryMs
      const before = now() - siteFileLimits.trashDays * 86_400_000
      for (const record of store.all())
        if (record.state === 'ready' && (await exists(store.paths(record.id).trash)))
          await inTurn(turns, record.id, () => run(record, 'emptyTrash', { before }))
    },
  }
}

/** One change of a site after the other, so that nothing happens between a check and what follows from it. */
function inTurn<T>(turns: Map<string, Promise<unknown>>, id: string, work: () => Promise<T>): Promise<T> {
  const turn = (turns.get(id) ?? Promise.resolve()).then(work)
  const ended = turn.then(
    () => undefined,
    () => undefined,
  )
  turns.set(id, ended)
  void ended.then(() => {
    if (turns.get(id) === ended) turns.delete(id)
  })
  return turn
}

function createQueue(): FairQueue {
  return createFairQueue({
    atOnce,
    waiting: { all: 1_000, ofKind: 1_000 },
    share: { known: 200, unknown: 0 },
    full: busy,
  })
}

function busy(): EngineError {
  return new EngineError('unavailable', msg`Too much is happening with files right now.`, {
    retryable: true,
    nextAction: msg`Try again in a moment.`,
  })
}

/** The record of a site that has its files. */
function readyRecord({ store }: Context, site: SiteRef): SiteRecord {
  const record = existingRecord(store, site)
  if (record.state === 'ready') return record
  throw new EngineError('conflict', msg`The files of the site are not available now.`, {
    nextAction: msg`Wait until the site is ready, or restore it from its archive.`,
  })
}

/** The folders of a site that a task gets which becomes its user. */
export async function siteFoldersOf(
  { store, owners }: Pick<Context, 'store' | 'owners'>,
  record: SiteRecord,
): Promise<SiteFolders> {
  const uid = await owners.ownerOf(record)
  const { www, trash } = store.paths(record.id)
  // Only we can write into the folder that holds it.
  await mkdir(trash, { recursive: true, mode: 0o700 })
  await chmod(trash, 0o700)
  if (uid !== null) await lchown(trash, uid, uid)
  return { root: www, trash, uid }
}

async function openFile({ store, owners }: Context, record: SiteRecord, path: string): Promise<SiteFileDownload> {
  const names = namesOf(path)
  if (names.length === 0) throw notPlain(path)
  const file = await openInPlace(join(store.paths(record.id).www, ...names), owners.userOf(record))
  if (file === null) throw missing(path)
  const { size, mtimeMs, ino } = await file.stat()
  return {
    size,
    tag: [size, Math.round(mtimeMs * 1000), ino].map((part) => part.toString(36)).join('-'),
    close: () => file.close(),
    open: (range = { start: 0, end: size - 1 }) => {
      if (size > 0) return file.createReadStream({ start: range.start, end: Math.min(range.end, size - 1) })
      const empty = Readable.from([])
      empty.once('close', () => void file.close())
      return empty
    },
  }
}
