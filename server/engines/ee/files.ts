import { gunzipSync } from 'node:zlib'
import { foundName, pageOf, type FoundName } from '#server/platform/tree-files/list-folder.ts'
import type { FileTasks } from '#server/platform/tree-files/file-tasks.ts'
import { FileRefusal, notInTrash, tooLargeText } from '#server/platform/tree-files/refusal.ts'
import { asText, versionOf } from '#server/platform/tree-files/text-file.ts'
import { assertNewPath, namesBelow, namesOf } from '#server/platform/tree-files/tree-path.ts'
import { msg } from '#shared/localized-message.ts'
import { siteFileLimits, splitPath } from '#shared/rules/site-files.ts'
import type { SiteFiles } from '../site-files.ts'
import { createSiteFiles, type FilesBackend } from '../site-files-rules.ts'
import type { SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { changeFiles, decodedPath, lookAtFiles, newOperation, operationForm } from './files-call.ts'
import { openRemoteFile, sendContent, sendFile } from './files-content.ts'
import { packFiles, packFilesInto } from './files-pack.ts'
import { finishUnpack, operationOf, undoUnpack, unpackFiles } from './files-unpack.ts'
import { readSite, workdirOf } from './site-of.ts'

type Options = Parameters<FilesBackend['run']>[3]

/** One operation of the file manager on a server. */
type Tasks = {
  readonly [T in keyof FileTasks]: (
    site: SiteRef,
    input: FileTasks[T]['input'],
    options: Options,
  ) => Promise<FileTasks[T]['result']>
}

/** Milliseconds of a change that copies or deletes trees. */
const treeMs = 110_000

/** The files of sites on servers. */
export function createEeFiles(context: EeContext): SiteFiles {
  const tasks = tasksOf(context)
  return createSiteFiles({
    now: Date.now,
    // It is on MariaDB.
    hasDatabaseFiles: () => false,
    // One of them by its name is of its type.
    run: (site, task, input, options) => (tasks[task] as Tasks[typeof task])(site, input, options),
    open: (site, path) => openRemoteFile(context, site, path),
    pack: (site, paths) => packFiles(context, site, paths),
  })
}

/** Where the files of a site are on its server; null if it is not there. */
export async function eeFilesFolder(context: EeContext, site: SiteRef): Promise<string | null> {
  const { row } = await readSite(context, site)
  return row === null ? null : `/opt/easyengine/sites/${site.domain}/app${workdirOf(row).slice('/var/www'.length)}`
}

function tasksOf(context: EeContext): Tasks {
  const change = (
    site: SiteRef,
    verb: string,
    paths: Parameters<typeof changeFiles>[2]['paths'],
    args: string[] = [],
    names = paths,
  ) =>
    changeFiles(context, site, {
      ...{ verb, paths, names, args, deadlineMs: treeMs },
      operation: newOperation(Date.now()),
    })
  return {
    list: (site, { folder, start }) => listFolder(context, site, folder, start),
    async read(site, { path }) {
      namesBelow(path)
      const call = { verb: 'read', paths: [path], maxBytes: 2 * siteFileLimits.text }
      const [about = '', content = ''] = (await lookAtFiles(context, site, call)).split('\n')
      const [size = 0, seconds = 0] = about.split(' ').map(Number)
      const bytes = size > siteFileLimits.text ? null : Buffer.from(content, 'base64')
      return { ...asText(bytes), size, modified: seconds * 1000 }
    },
    async write(site, { path, content, version }) {
      const bytes = Buffer.from(content)
      if (bytes.length > siteFileLimits.text) throw tooLargeText()
      if (version === null) assertNewPath(path)
      namesBelow(path)
      const sent = await sendContent(context, site, [bytes])
      const args = [sent.sha256, /^[0-9a-f]{32}$/.test(version ?? '') ? String(version) : version === null ? '' : '-']
      await changeFiles(context, site, { verb: 'write', paths: [path], args, operation: sent.operation })
      return { version: versionOf(bytes) }
    },
    async makeFolder(site, { path }) {
      assertNewPath(path)
      namesBelow(path)
      await change(site, 'make', [path])
      return null
    },
    async move(site, { moves }) {
      for (const { from, to } of moves) assertMove(from, to, msg`${from} cannot be moved into itself.`)
      await change(site, 'move', moves)
      return null
    },
    async copy(site, { from, to }) {
      assertMove(from, to, msg`${from} cannot be copied into itself.`)
      await change(site, 'copy', [{ from, to }])
      return null
    },
    async remove(site, { paths, now }) {
      for (const path of paths) namesBelow(path)
      const operation = newOperation(now)
      await changeFiles(context, site, { verb: 'remove', paths, operation, deadlineMs: treeMs })
      return { id: operation }
    },
    trash: (site) => listTrash(context, site),
    async restore(site, { id }) {
      const found = operationForm.test(id) ? (await listTrash(context, site)).find((item) => item.id === id) : undefined
      if (found === undefined) throw notInTrash()
      // The script reads where they were itself: it knows more than fits into a call.
      await change(site, 'restore', [], [id], found.paths)
      return { paths: found.paths }
    },
    async emptyTrash(site) {
      await change(site, 'empty', [])
      return null
    },
    async put(site, { path, replace }, options) {
      assertNewPath(path)
      namesBelow(path)
      return { trash: await sendFile(context, site, { path, source: options?.source ?? '', replace }) }
    },
    zip: (site, { paths, to, operation }, options) =>
      packFilesInto(context, site, { paths, to, operation: operation && operationOf(operation), ...options }),
    async undoZip(site, { operation, to }) {
      return { left: (await change(site, 'unpack-away', [to], [operationOf(operation)])).trim() === 'left' }
    },
    unzip: (site, { path, into, replace, keep }, options) =>
      unpackFiles(context, site, { path, into, replace, keep, ...options }),
    undoUnzip: (site, { operation }) => undoUnpack(context, site, operation),
    async finishUnzip(site, { operation }) {
      await finishUnpack(context, site, operation)
      return null
    },
  }
}

function assertMove(from: string, to: string, intoItself: FileRefusal['localized']): void {
  assertNewPath(to)
  namesBelow(from)
  namesBelow(to)
  if (to === from || to.startsWith(`${from}/`))
    throw new FileRefusal('invalid', intoItself, msg`Choose another folder.`)
}

const kinds = { d: 'folder', f: 'file' } as const

interface RemoteName extends FoundName {
  readonly size: number
  readonly modified: number
}

async function listFolder(
  context: EeContext,
  site: SiteRef,
  folder: string,
  start: number,
): Promise<FileTasks['list']['result']> {
  namesOf(folder)
  const output = await lookAtFiles(context, site, { verb: 'list', paths: [folder], maxBytes: 36 * 1_048_576 })
  const bytes =
    output === '' ? Buffer.alloc(0) : gunzipSync(Buffer.from(output, 'base64'), { maxOutputLength: 2 ** 25 })
  const { page, ...rest } = pageOf(namesIn(bytes), start)
  return { entries: page.map(({ text: name, kind, size, modified }) => ({ name, kind, size, modified })), ...rest }
}

/** Entries as `find` prints them; the last one may be cut off. */
function namesIn(bytes: Buffer): RemoteName[] {
  const names: RemoteName[] = []
  for (let at = 0, end = bytes.indexOf(0); end >= 0; at = end + 1, end = bytes.indexOf(0, at)) {
    const head = /^([a-zA-Z?]) (\d{1,18}) (-?[\d.]{1,30}) /.exec(bytes.toString('latin1', at, Math.min(end, at + 60)))
    if (head === null) continue
    const [all, type = '', size, seconds] = head
    const kind = type === 'd' || type === 'f' ? kinds[type] : 'other'
    const found = foundName(Buffer.from(bytes.subarray(at + all.length, end)), kind)
    names.push({
      ...found,
      size: found.kind === 'file' ? Number(size) : 0,
      modified: Math.round(Number(seconds) * 1000),
    })
  }
  return names
}

async function listTrash(context: EeContext, site: SiteRef): Promise<FileTasks['trash']['result']> {
  const output = await lookAtFiles(context, site, { verb: 'trash', paths: [], maxBytes: 16 * 1_048_576 })
  const oldest = Date.now() - siteFileLimits.trashDays * 86_400_000
  return output.split('\n').flatMap((line) => {
    const [id = '', list = ''] = line.split(' ')
    const [, time] = operationForm.exec(id) ?? []
    const deleted = time === undefined ? 0 : Number.parseInt(time, 36)
    const paths = Buffer.from(list, 'base64').toString('utf8').trimEnd().split('\n').map(decodedPath)
    const isWhole = paths.every((path) => path !== '' && Array.isArray(splitPath(path)))
    return deleted > oldest && isWhole ? [{ id, paths, deleted }] : []
  })
}
