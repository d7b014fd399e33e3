import {
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { runFileTask, type FileTask, type FileTasks } from '#server/platform/tree-files/file-tasks.ts'
import { missing } from '#server/platform/tree-files/refusal.ts'
import { namesOf } from '#server/platform/tree-files/tree-path.ts'
import type { SiteTree } from '#server/platform/tree-files/work-folder.ts'
import { assertExisting, zipFiles } from '#server/platform/tree-files/zip-files.ts'
import { openFolder } from '#server/platform/trees/folder.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import type { SiteFiles } from '../site-files.ts'
import { createSiteFiles } from '../site-files-rules.ts'
import type { FakeContext } from './fake-context.ts'
import { existingSite } from './fake-store.ts'

/** Small, so that tests can fill it. */
const room = { bytes: 64 * 1_048_576, entries: 10_000 }

/** Files of fake sites: real ones, in the folder of the engine. */
export function fakeFiles(context: FakeContext): SiteFiles {
  return createSiteFiles({
    now: context.now,
    hasDatabaseFiles: ({ siteType }) => siteType === 'wp',
    run: (site, task, input, { signal, source, onProgress } = {}) =>
      inTree(context, site, async (tree) => {
        signal?.throwIfAborted()
        const fd = source === undefined ? null : openSync(source, 'r')
        try {
          const given = { task, input: fd === null ? input : { ...input, source: fd } } as unknown as FileTask
          const { value } = await runFileTask(tree, given, room, onProgress)
          return value as FileTasks[typeof task]['result']
        } finally {
          if (fd !== null) closeSync(fd)
        }
      }),
    open: (site, path) =>
      inTree(context, site, () => {
        const file = join(folderOf(context, site.id), 'www', ...namesOf(path))
        const stats = statSync(file, { throwIfNoEntry: false })
        if (stats?.isFile() !== true) throw missing(path)
        return Promise.resolve({
          size: stats.size,
          tag: `${stats.size}-${Math.round(stats.mtimeMs)}`,
          open: (range) => (stats.size === 0 ? Readable.from([]) : createReadStream(file, range ?? {})),
          close: () => Promise.resolve(),
        })
      }),
    pack: (site, paths) =>
      inTree(context, site, async (tree) => {
        assertExisting(tree.root, paths)
        const chunks: Buffer[] = []
        for await (const chunk of zipFiles(tree.root, paths)) chunks.push(chunk)
        return Readable.from(chunks)
      }),
  })
}

/** Removes the pages that plugins of a site keep. */
export function clearFakeCache(context: FakeContext, id: string): void {
  const folder = join(folderOf(context, id), 'www', 'wp-content', 'cache')
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
}

/** Removes the files of a site. */
export function removeFakeFiles(context: FakeContext, id: string): void {
  rmSync(folderOf(context, id), { recursive: true, force: true })
}

/** Bytes of the files that were made on a site, deleted ones that can be restored included. */
export function fakeFilesBytes(context: FakeContext, id: string): number {
  const folder = folderOf(context, id)
  if (!existsSync(folder)) return 0
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

const folderOf = ({ options }: FakeContext, id: string): string => join(options.folder, 'files', id)

async function inTree<T>(context: FakeContext, site: SiteRef, work: (tree: SiteTree) => Promise<T>): Promise<T> {
  const { state, siteType } = existingSite(context, site)
  if (state === 'archived' || state === 'partial')
    throw new EngineError('conflict', msg`The files of the site are not available now.`, {
      nextAction: msg`Wait until the site is ready, or restore it from its archive.`,
    })
  const www = fakeWww(context, { id: site.id, siteType })
  const trash = join(folderOf(context, site.id), 'trash')
  mkdirSync(trash, { recursive: true })
  const root = openFolder(www)
  try {
    const beside = openFolder(trash)
    try {
      return await work({ root, trash: beside })
    } finally {
      beside.close()
    }
  } finally {
    root.close()
  }
}

/** The folder with the files of a site, which are made when they are first needed. */
export function fakeWww(context: FakeContext, { id, siteType }: Pick<SiteRef, 'id' | 'siteType'>): string {
  const www = join(folderOf(context, id), 'www')
  if (!existsSync(www)) {
    mkdirSync(www, { recursive: true })
    writeFileSync(join(www, siteType === 'html' ? 'index.html' : 'index.php'), 'A fake page')
    if (siteType === 'wp') {
      mkdirSync(join(www, 'wp-content', 'database'), { recursive: true })
      writeFileSync(join(www, 'wp-content', 'database', '.ht.sqlite'), 'A fake database')
      writeFileSync(join(www, 'wp-config.php'), '<?php // A fake configuration')
    }
  }
  return www
}
