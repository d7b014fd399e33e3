import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import * as z from 'zod/mini'
import { createRowCounter } from '#server/platform/mysql/count-rows.ts'
import { pushKinds } from '#shared/responses/push-plan.ts'
import { msg } from '#shared/localized-message.ts'
import { parseJson } from '#shared/parse-json.ts'
import type { Known, KnownItems } from '../compare-sides.ts'
import { EngineError } from '../engine.ts'
import { maxManifestFiles, type ManifestFile } from '../site-manifest.ts'
import { databaseItems, emptyDatabase, type KnownDatabase } from './database-items.ts'
import { packedPath } from './pack-archive.ts'
import { compressed } from './unpack-archive.ts'

/** What a site has: its files, and what its database holds, both without what makes sense in one place only. */
export interface KnownContent {
  readonly files: KnownItems
  /** Null: it has no database. */
  readonly database: KnownDatabase | null
}

/** Bytes of a line or a path. */
const maxLine = 40_000
/** Bytes of a list: those of a million files with long names. */
const maxList = 256 * 1024 * 1024

/** The files in a list as `pack-files.sh` writes it. The server can be hostile. */
export async function listedFiles(list: AsyncIterable<Buffer>): Promise<KnownItems> {
  const files = new Map<string, Known>()
  await eachItem(list, (line) => {
    const [, hash, name = ''] = /^([0-9a-f]{64}) [ *]([^]+)$/.exec(line) ?? []
    if (hash === undefined || files.size >= maxManifestFiles) throw unreadable()
    const path = packedPath(name)
    if (path !== '') files.set(path, { hash })
  })
  return files
}

/** Reads a compressed list, each item of which ends with a null byte. */
export async function eachItem(list: AsyncIterable<Buffer>, take: (item: string) => void): Promise<void> {
  let held = Buffer.alloc(0)
  let bytes = 0
  await unzipped(list, (chunk) => {
    bytes += chunk.length
    if (bytes > maxList) throw unreadable()
    held = Buffer.concat([held, chunk])
    let from = 0
    for (let end = held.indexOf(0); end >= 0; end = held.indexOf(0, from)) {
      take(held.toString('utf8', from, end))
      from = end + 1
    }
    held = held.subarray(from)
    if (held.length > maxLine) throw unreadable()
  })
  if (held.length > 0) throw unreadable()
}

/** The files that a manifest names, without one that an archive has in place of the site's own. */
export function packedFiles(files: readonly ManifestFile[], left: string | null): KnownItems {
  return new Map(
    files.filter(({ path }) => path !== left).map(({ path, sha256 }): [string, Known] => [path, { hash: sha256 }]),
  )
}

/** What the dump of a database holds. */
export async function dumpedDatabase(dump: AsyncIterable<Buffer>, tablePrefix: string): Promise<KnownDatabase> {
  const items = databaseItems(tablePrefix)
  const { through, rows } = createRowCounter(items.add)
  const passed = new Writable({ write: (_chunk, _encoding, done) => done() })
  await pipeline(Readable.from(dump, { objectMode: false }), createGunzip(), through, passed).catch(rethrown)
  if (rows.size === 0) throw unreadable()
  return items.found()
}

/** Content as it is kept: a line of JSON for each thing, compressed. */
export function keptContent({ files, database }: KnownContent): AsyncIterable<Buffer> {
  async function* lines(): AsyncGenerator<Buffer, void, undefined> {
    yield line(['easydash-content', 1, database !== null])
    for (const [path, { hash }] of files) yield line(['files', path, hash])
    for (const kind of pushKinds) for (const [key, { hash }] of database?.[kind] ?? []) yield line([kind, key, hash])
  }
  return compressed(lines())
}

const line = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value)}\n`)

const head = z.tuple([z.literal('easydash-content'), z.literal(1), z.boolean()])
const item = z.tuple([z.enum(['files', ...pushKinds]), z.string(), z.string()])

/** What `keptContent` wrote. */
export async function readKept(kept: AsyncIterable<Buffer>): Promise<KnownContent> {
  const content = { files: new Map<string, Known>(), database: emptyDatabase() }
  let [hasDatabase, count]: [boolean | null, number] = [null, 0]
  const source = Readable.from(kept, { objectMode: false })
  const input = createGunzip()
  const feeding = pipeline(source, input)
  // Its error is that of what it feeds.
  feeding.catch(() => undefined)
  try {
    for await (const text of createInterface({ input, crlfDelay: Infinity })) {
      count += 1
      if (text.length > maxLine || count > 4 * maxManifestFiles) throw unreadable()
      if (hasDatabase === null) {
        hasDatabase = head.parse(parseJson(text))[2]
        continue
      }
      const [kind, key, hash] = item.parse(parseJson(text))
      const items = kind === 'files' ? content.files : content.database[kind]
      items.set(key, { hash })
    }
    await feeding
  } catch (error) {
    rethrown(error)
  }
  if (hasDatabase === null) throw unreadable()
  return { files: content.files, database: hasDatabase ? content.database : null }
}

async function unzipped(content: AsyncIterable<Buffer>, onChunk: (chunk: Buffer) => void): Promise<void> {
  const taken = new Writable({
    write(chunk: Buffer, _encoding, done) {
      try {
        onChunk(chunk)
        done()
      } catch (error) {
        done(error as Error)
      }
    },
  })
  await pipeline(Readable.from(content, { objectMode: false }), createGunzip(), taken).catch(rethrown)
}

/** What is wrong with content that a server sent is an error of ours to word. */
function rethrown(error: unknown): never {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  const isDamage = error instanceof z.core.$ZodError || (typeof code === 'string' && /^Z_/.test(code))
  throw isDamage ? unreadable() : error
}

/** The error of what a server said that cannot be true. */
export const unreadable = (): EngineError =>
  new EngineError('unavailable', msg`What the server said of the site cannot be read.`, {
    nextAction: msg`Try again. If it goes wrong again, look at the server.`,
  })
