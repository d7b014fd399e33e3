import { appendFile, mkdir, open, readdir, rm, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import type { LogSegment } from '#server/platform/text-log/read-log.ts'
import type { LocalEngineLog } from '../options.ts'

/** Interval of writing what was recorded. */
const flushEveryMs = 1_000
/** Lines of one site that wait to be written (bytes); more than that in one interval are only counted. */
const maxWaitingBytes = 512 * 1024
/** A log consists of this many files at most; the oldest is removed for a new one. */
const maxSegments = 4
/** Size of a file of a log without a quota. */
const unlimitedSegmentBytes = 16 * 1024 * 1024
const minSegmentBytes = 64 * 1024

/** Options of the access logs. */
export interface AccessLogOptions {
  /** Folder of a site's access log. Only we can enter it. */
  folderOf(id: string): string
  /** Maximum size of a site's log in bytes; may be infinite. Null: there is no such site (any more). */
  maxBytesOf(id: string): number | null
  log: LocalEngineLog
}

/**
 * The access logs of sites. Lines are kept in memory and written once a second, one site at a time: requests never wait for
 * the disk, and the files that visitors request don't wait for these writes.
 */
export interface AccessLog {
  /** Adds a line, which ends with a line feed. Never throws. */
  record(id: string, line: string): void
  /** Writes what was recorded for a site until now. */
  flush(id: string): Promise<void>
  /** The log's files, oldest first, after a flush. The caller closes them. */
  open(id: string): Promise<{ segments: LogSegment[]; changedAt: number | null; close(): Promise<void> }>
  /** Empties the log. */
  clear(id: string): Promise<void>
  /** Forgets a site that is removed. */
  forget(id: string): void
  /** Writes what is left. */
  stop(): Promise<void>
}

interface SiteAccess {
  waiting: string[]
  waitingBytes: number
  dropped: number
  /** Number and size of the newest file; null: not looked up yet. */
  newest: { number: number; bytes: number } | null
  /** Settles with its running work: only one piece of work at a time. */
  turn: Promise<unknown>
}

interface AccessLogContext {
  readonly options: AccessLogOptions
  readonly sites: Map<string, SiteAccess>
}

/** Creates them; nothing is read or written before the first line. */
export function createAccessLog(options: AccessLogOptions): AccessLog {
  const context: AccessLogContext = { options, sites: new Map() }
  const { sites } = context
  let timer: NodeJS.Timeout | null = null
  let isStopped = false

  const flushAll = async (): Promise<void> => {
    for (const [id, { waiting }] of sites) if (waiting.length > 0) await flush(context, id)
  }
  /** A timeout for each round instead of an interval: rounds never overlap, and an idle machine has none. */
  const schedule = (): void => {
    if (timer !== null || isStopped) return
    timer = setTimeout(() => {
      void flushAll().then(() => {
        timer = null
        if ([...sites.values()].some(({ waiting }) => waiting.length > 0)) schedule()
      })
    }, flushEveryMs)
    timer.unref()
  }

  return {
    record: (id, line) => {
      const site = siteOf(context, id)
      // Lines are ASCII: their length is their size.
      if (site.waitingBytes + line.length > maxWaitingBytes) site.dropped += 1
      else {
        site.waiting.push(line)
        site.waitingBytes += line.length
      }
      schedule()
    },
    flush: (id) => flush(context, id),
    open: async (id) => {
      await flush(context, id)
      return inTurn(siteOf(context, id), () => openSegments(options.folderOf(id)))
    },
    clear: async (id) => {
      await flush(context, id)
      const site = siteOf(context, id)
      await inTurn(site, () => clear(context, id, site))
    },
    forget: (id) => {
      sites.delete(id)
    },
    stop: async () => {
      isStopped = true
      if (timer !== null) clearTimeout(timer)
      await flushAll()
    },
  }
}

function siteOf({ sites }: AccessLogContext, id: string): SiteAccess {
  const known = sites.get(id)
  if (known !== undefined) return known
  const fresh: SiteAccess = { waiting: [], waitingBytes: 0, dropped: 0, newest: null, turn: Promise.resolve() }
  sites.set(id, fresh)
  return fresh
}

function inTurn<T>(site: SiteAccess, work: () => Promise<T>): Promise<T> {
  const turn = site.turn.then(work)
  site.turn = turn.catch(() => undefined)
  return turn
}

/** Never throws: a disk that is full or gone costs lines, and nothing else. */
function flush(context: AccessLogContext, id: string): Promise<void> {
  const site = siteOf(context, id)
  return inTurn(site, async () => {
    const { waiting, dropped } = site
    if (waiting.length === 0 && dropped === 0) return
    if (dropped > 0) waiting.push(`- - - ${dropped} more requests in this second were not written down\n`)
    Object.assign(site, { waiting: [], waitingBytes: 0, dropped: 0 })
    try {
      await append(context, id, site, waiting.join(''))
    } catch (error) {
      site.newest = null
      context.options.log.warn('Requests to a site could not be written to its access log', { site: id, error })
    }
  })
}

async function append({ options, sites }: AccessLogContext, id: string, site: SiteAccess, text: string): Promise<void> {
  const maxBytes = options.maxBytesOf(id)
  const folder = options.folderOf(id)
  if (maxBytes === null || !(await makeFolder(folder))) {
    sites.delete(id)
    return
  }
  site.newest ??= await newestOf(folder)
  const segmentBytes = Number.isFinite(maxBytes)
    ? Math.max(minSegmentBytes, Math.floor(maxBytes / maxSegments))
    : unlimitedSegmentBytes
  if (site.newest.bytes > 0 && site.newest.bytes + text.length > segmentBytes) {
    site.newest = { number: site.newest.number + 1, bytes: 0 }
    const oldest = site.newest.number - maxSegments
    for (const number of await segmentNumbers(folder))
      if (number <= oldest) await rm(join(folder, segmentName(number)), { force: true })
  }
  await appendFile(join(folder, segmentName(site.newest.number)), text, { mode: 0o600 })
  site.newest.bytes += text.length
}

/** False if the folder of the site is gone: nothing of a removed site may come back. */
async function makeFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 })
    return true
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return true
    if (systemErrorCode(error) === 'ENOENT') return false
    throw error
  }
}

/** A new file takes the place of all others, because the number of a file is never used again. */
async function clear({ options }: AccessLogContext, id: string, site: SiteAccess): Promise<void> {
  const folder = options.folderOf(id)
  const numbers = await segmentNumbers(folder)
  const last = numbers.at(-1)
  if (last === undefined) return
  await appendFile(join(folder, segmentName(last + 1)), '', { mode: 0o600 })
  for (const number of numbers) await rm(join(folder, segmentName(number)), { force: true })
  site.newest = null
}

async function newestOf(folder: string): Promise<{ number: number; bytes: number }> {
  const number = (await segmentNumbers(folder)).at(-1)
  if (number === undefined) return { number: 1, bytes: 0 }
  return { number, bytes: (await stat(join(folder, segmentName(number)))).size }
}

const segmentName = (number: number): string => `access.${String(number).padStart(6, '0')}.log`

/** Numbers of the existing files, ascending. */
async function segmentNumbers(folder: string): Promise<number[]> {
  try {
    const numbers = (await readdir(folder)).flatMap((name) => {
      const [, number] = /^access\.(\d{6,9})\.log$/.exec(name) ?? []
      return number === undefined ? [] : [Number(number)]
    })
    return numbers.toSorted((a, b) => a - b)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error))) return []
    throw error
  }
}

async function openSegments(folder: string): Promise<Awaited<ReturnType<AccessLog['open']>>> {
  const files: { number: number; size: number; handle: FileHandle }[] = []
  let changedAt: number | null = null
  for (const number of await segmentNumbers(folder)) {
    const handle = await open(join(folder, segmentName(number)), 'r')
    const { size, mtimeMs } = await handle.stat()
    if (size > 0) changedAt = mtimeMs
    files.push({ number, size, handle })
  }
  return {
    segments: files.map(({ number, size, handle }) => ({
      file: String(number),
      size,
      read: async (offset, length) => {
        if (length <= 0) return Buffer.alloc(0)
        const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, offset)
        return buffer.subarray(0, bytesRead)
      },
    })),
    changedAt,
    close: async () => {
      await Promise.all(files.map(({ handle }) => handle.close()))
    },
  }
}
