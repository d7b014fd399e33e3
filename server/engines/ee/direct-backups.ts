import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod/mini'
import { maxTables } from '#server/platform/mysql/count-rows.ts'
import { partBytes, triedContent, type SendPart } from '#server/platform/network/sent-parts.ts'
import { roomOn } from '#server/platform/files/disk-space.ts'
import { parseJson } from '#shared/parse-json.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep, type StepContext } from '../engine.ts'
import { filesInManifest, readManifest } from '../manifest-reader.ts'
import type { DirectBackups, SealedSite, Sealing, TarPiece } from '../site-backups.ts'
import { exportNames, manifestPieces, othersNotPacked, type SiteManifest } from '../site-manifest.ts'
import type { SiteRef } from '../site-ref.ts'
import { assertSite } from './arguments.ts'
import { folderOf, packableSite, packSite, removePacked } from './backups.ts'
import type { EeContext } from './ee-context.ts'
import { fetchPart } from './fetch-packed.ts'
import { unreadable } from './known-content.ts'
import { filesIn, listedTree } from './listed-tree.ts'
import { archivePaths, configOf, noDisk, noTables, readmeFor } from './pack-archive.ts'
import {
  manifestHead,
  packDatabase,
  packingSite,
  packPart,
  withoutOfWordPress,
  type Dumped,
  type ManagedPacking,
} from './pack-parts.ts'
import { look, mutate, outputOf, stop } from './remote.ts'
import { sendArchivePart } from './send-archive.ts'
import { foundPart, sealArchive, type PutTogether } from './seal-archive.ts'
import { sendPart } from './send-part.ts'
import { dumpPieces, inOrderOfTar, maxDumpList, type TreeItem } from './tar-pieces.ts'

/** What this machine keeps of an archive that is on a server. */
const sealedNote = z.object({
  size: z.number(),
  clear: z.object({ bytes: z.number(), sha256: z.string() }),
  needs: z.nullable(z.array(z.string())),
  parts: z.array(z.object({ bytes: z.number(), sha256: z.string(), md5: z.string() })),
})

const noteIn = (folder: string): string => join(folder, 'sealed.json')

/** Backups whose archives are made, encrypted and sent by the servers of their sites: what is in them never comes here. */
export function createEeDirect(context: EeContext): DirectBackups {
  return {
    packSteps: (site, to) => packSteps(context, site, to),
    packed: (site) => sealedSite(context, site),
  }
}

/** Checksums and the archive belong together, so all is one step: a retry begins anew. */
function packSteps(context: EeContext, site: SiteRef, to: () => Promise<Sealing | null>): EngineStep[] {
  assertSite(site)
  return [
    {
      key: 'pack',
      label: site.siteType === 'html' ? 'Pack the files on the server' : 'Pack database and files on the server',
      weight: 3,
      deadlineSeconds: 7_200,
      async run(step) {
        const sealing = await to()
        if (sealing !== null) {
          const lack = (await lackOf(context, site, sealing, step)) ?? (await seal(context, site, sealing, step))
          if (lack === null) return
          step.log(`${lack} The archive is made and sent by the machine of Easydash instead.`)
        }
        await packSite(context, site, site.id, step)
      },
    },
  ]
}

/** Why a server can't send archives by itself; null if it can. Installs what is missing for it, where sending works. */
async function lackOf(
  context: EeContext,
  site: SiteRef,
  { attempt }: Sealing,
  { signal, log }: StepContext,
): Promise<string | null> {
  const ways = async (): Promise<ReadonlySet<string>> => {
    const call = { script: 'archive-way', args: [site.id, triedContent], signal, maxBytes: 4_096 } as const
    return new Set(outputOf(await look(context, site.server, call)).split('\n'))
  }
  const refusal = async () => {
    const reason = await attempt(sending(context, site, signal), signal)
    return reason && `The server can’t send to the store: ${reason}`
  }
  const found = await ways()
  const lack = found.has('curl') ? await refusal() : null
  if (lack !== null || found.has('tools')) return lack
  const noTools = 'The packages age and zstd can’t be installed on the server.'
  if (found.has('refused')) return noTools
  const id = `ee-${site.id}-tools`
  try {
    const isDone = async () => (await ways()).has('tools')
    await mutate(context, site.server, { id, script: 'archive-tools', args: [], signal, isDone, onLine: log })
  } catch (error) {
    if (signal.aborted) await stop(context, site.server, id)
    if (!(error instanceof EngineError)) throw error
    return noTools
  }
  return found.has('curl') ? null : refusal()
}

/**
 * Has the server make the archive and encrypt it. Names and checksums of files pass through here, their contents do not. Returns why the server
 * can't; null if it did.
 */
async function seal(context: EeContext, site: SiteRef, sealing: Sealing, step: StepContext): Promise<string | null> {
  const { signal } = step
  signal.throwIfAborted()
  const { row } = await packableSite(context, site, signal)
  const folder = folderOf(context, site)
  await rm(folder, { recursive: true, force: true })
  try {
    const managed = packingSite({ context, site, packed: site }, row)
    const isWordPress = row.site_type === 'wp'
    const dumped = await packDatabase(managed, step, 'plain')
    const tree = await packPart(managed, 'tree', isWordPress ? withoutOfWordPress : [], step)
    if (tree.bytes === 0) return await withoutRoom(context, site)
    step.progress(0.4)
    const listed = await listedTree(fetchPart(context, site, tree, { signal }))
    const head = {
      ...(await manifestHead(managed, row, dumped, signal)),
      ...(await databaseOf(managed, dumped, step)),
      not_packed: othersNotPacked(listed.others),
    }
    const dump = await piecesOf(managed, dumped, step)
    const own = await sendOwn(context, site, { head, tree: listed.items, folder }, signal)
    step.progress(0.5)
    const sealed = await sealArchive(managed, sealing, { ...own, dump }, step)
    if (sealed === null) return await withoutRoom(context, site)
    await writeFile(noteIn(folder), JSON.stringify(sealed), { mode: 0o600 })
  } catch (error) {
    await removePacked(context, site)
    throw error
  }
  step.progress(1)
  return null
}

async function withoutRoom(context: EeContext, site: SiteRef): Promise<string> {
  await removePacked(context, site)
  return 'The disk of the server has no room for a copy of the files and the archive of it.'
}

/** What a manifest says of a dump. */
async function databaseOf(
  managed: ManagedPacking,
  dumped: Dumped | null,
  step: StepContext,
): Promise<Pick<SiteManifest, 'database' | 'tables'>> {
  if (dumped === null) return { database: null, tables: {} }
  const { bytes, sha256, token } = dumped.part
  const { context, site, packed } = managed
  const rows = await foundPart(managed, 'database.rows', token, step)
  if (rows.bytes > maxRowsBytes) throw unreadable()
  const lines = (await text(fetchPart(context, packed, rows, { signal: step.signal }))).split('\n').slice(0, maxTables)
  const tables = Object.fromEntries(
    lines.flatMap((line) => {
      const [, count, name] = /^(\d{1,15}) (.{1,100})$/.exec(line) ?? []
      return name === undefined ? [] : [[name.replaceAll('``', '`'), Number(count)]]
    }),
  )
  if (site.siteType === 'wp' && Object.keys(tables).length === 0) throw noTables()
  return { database: { file: exportNames.dump, bytes, sha256 }, tables }
}

const maxRowsBytes = 1_048_576

/** What a dump consists of. */
async function piecesOf(managed: ManagedPacking, dumped: Dumped | null, step: StepContext): Promise<TarPiece[]> {
  if (dumped === null) return []
  const list = await foundPart(managed, 'database.pieces', dumped.part.token, step)
  if (list.bytes > maxDumpList) throw unreadable()
  const { context, packed } = managed
  return dumpPieces(await text(fetchPart(context, packed, list, { signal: step.signal })), dumped.part)
}

/** Completes what the server has to make the archive of, and keeps the manifest. */
async function sendOwn(
  context: EeContext,
  site: SiteRef,
  own: { readonly head: Omit<SiteManifest, 'files'>; readonly tree: readonly TreeItem[]; readonly folder: string },
  signal: AbortSignal,
): Promise<Omit<PutTogether, 'dump'>> {
  const { head, folder } = own
  const config = head.type === 'wp' ? configOf(head) : null
  // That of the site is not copied.
  if (config !== null && own.tree.some(({ path }) => path === configName)) throw unreadable()
  const added = config === null ? [] : [{ path: configName, file: aboutText(config), attributes: null }]
  const tree = inOrderOfTar([...own.tree, ...added])
  const manifest: SiteManifest = { ...head, files: filesIn(tree) }
  const readme = readmeFor(manifest, manifest.database !== null)
  const { manifest: path } = archivePaths(folder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await pipeline(manifestPieces(manifest), roomOn(folder, noDisk), createWriteStream(path, { mode: 0o600 }), { signal })
  const send = (name: string, content: AsyncIterable<Buffer>) =>
    sendPart(context, site, { script: 'pack-own', args: [site.id, `site/${name}`] }, content, signal)
  await send(exportNames.manifest, createReadStream(path))
  await send(exportNames.readme, piece(readme))
  if (config !== null) await send(`${exportNames.files}/${configName}`, piece(config))
  return { manifest, tree, readme: aboutText(readme), folder }
}

const configName = 'wp-config.php'

function aboutText(content: string): { size: number; sha256: string } {
  const bytes = Buffer.from(content)
  return { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}

async function* piece(content: string): AsyncGenerator<Buffer, void, undefined> {
  yield Buffer.from(content)
}

/** What is noted of the archive of a site; null without one on its server. */
async function sealedSite(context: EeContext, site: SiteRef): Promise<SealedSite | null> {
  const folder = folderOf(context, site)
  const noted = await readFile(noteIn(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (noted === null) return null
  const { data } = sealedNote.safeParse(parseJson(noted))
  if (!data)
    throw new EngineError('unavailable', msg`What is known of the archive cannot be read.`, {
      nextAction: msg`Back it up again.`,
    })
  const { manifest } = archivePaths(folder)
  return {
    ...data,
    manifest: await readManifest(createReadStream(manifest)),
    files: () => filesInManifest(createReadStream(manifest)),
    sending: (signal) => sending(context, site, signal),
  }
}

/** Has a server send parts of one upload: what arrived in another one counts for nothing. */
function sending(context: EeContext, site: SiteRef, signal: AbortSignal): SendPart {
  const upload = randomBytes(8).toString('hex')
  return (part, target) =>
    sendArchivePart(context, site, { upload, offset: (target.number - 1) * partBytes, part, target }, signal)
}
