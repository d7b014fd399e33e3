import { holdsOwnFile, siteFileLimits, isOwnFile, withoutInner } from '#shared/rules/site-files.ts'
import { msg } from '#shared/localized-message.ts'
import { ownFile, type FileTasks } from '#server/platform/tree-files/file-tasks.ts'
import type { OnProgress } from '#server/platform/tree-files/progress.ts'
import { FileRefusal } from '#server/platform/tree-files/refusal.ts'
import type { Readable } from 'node:stream'
import { EngineError } from './engine.ts'
import type { SiteRef } from './site-ref.ts'
import type { SiteFileDownload, SiteFiles } from './site-files.ts'

/** How one engine runs the operations of the file manager. */
export interface FilesBackend {
  run<T extends keyof FileTasks>(
    site: SiteRef,
    task: T,
    input: FileTasks[T]['input'],
    options?: {
      readonly signal?: AbortSignal
      readonly source?: string
      readonly onProgress?: OnProgress | undefined
    },
  ): Promise<FileTasks[T]['result']>
  open(site: SiteRef, path: string): Promise<SiteFileDownload>
  pack(site: SiteRef, paths: readonly string[]): Promise<Readable>
  now(): number
  /** Whether the database of a site is among its files, which nothing may change then. */
  hasDatabaseFiles(site: SiteRef): boolean
}

/** The files of an engine's sites: the rules that are the same for every engine, around how it runs the operations. */
export function createSiteFiles(backend: FilesBackend): SiteFiles {
  const { run, now } = backend
  const assertChangeable = (site: SiteRef, path: string) => {
    if (backend.hasDatabaseFiles(site) && isOwnFile(path)) throw ownFile(path)
  }
  /** What holds one of them stays where it is, too. */
  const assertMovable = (site: SiteRef, path: string) => {
    if (backend.hasDatabaseFiles(site) && holdsOwnFile(path)) throw ownFile(path)
  }
  return translated({
    list: (site, folder, start = 0) => run(site, 'list', { folder, start: Math.max(0, Math.floor(start)) }),
    read: (site, path) => run(site, 'read', { path }),
    write: (site, path, content, version) => {
      assertChangeable(site, path)
      return run(site, 'write', { path, content, version })
    },
    makeFolder: async (site, path) => {
      assertChangeable(site, path)
      await run(site, 'makeFolder', { path })
    },
    move: async (site, moves) => {
      assertChosen(moves)
      for (const { from, to } of moves) {
        assertMovable(site, from)
        assertChangeable(site, to)
      }
      await run(site, 'move', { moves: moves.map(({ from, to }) => ({ from, to })) })
    },
    copy: async (site, from, to) => {
      assertChangeable(site, to)
      await run(site, 'copy', { from, to })
    },
    remove: (site, paths) => {
      assertChosen(paths)
      for (const path of paths) assertMovable(site, path)
      return run(site, 'remove', { paths: withoutInner(paths), now: now() })
    },
    trash: (site) => run(site, 'trash', {}),
    restore: (site, id) => run(site, 'restore', { id }),
    emptyTrash: async (site) => {
      await run(site, 'emptyTrash', { before: Number.MAX_SAFE_INTEGER })
    },
    put: (site, path, source, replace) => {
      assertChangeable(site, path)
      return run(site, 'put', { path, source: -1, replace, now: now() }, { source })
    },
    open: (site, path) => backend.open(site, path),
    pack: (site, paths) => {
      assertChosen(paths)
      return backend.pack(site, withoutInner(paths))
    },
    packInto: (site, paths, to, { operationId = null, signal, onProgress }) => {
      assertChosen(paths)
      assertChangeable(site, to)
      return run(site, 'zip', { paths: withoutInner(paths), to, operation: operationId }, { signal, onProgress })
    },
    undoPack: (site, to, operation) => run(site, 'undoZip', { operation, to }),
    unpack: (site, path, { into, replace, source, operationId = null, signal, onProgress }) =>
      run(
        site,
        'unzip',
        { path, into, replace, keep: operationId, ownFiles: backend.hasDatabaseFiles(site) },
        { signal, onProgress, ...(source !== undefined && { source }) },
      ),
    undoUnpack: (site, operation) => run(site, 'undoUnzip', { operation }),
    finishUnpack: async (site, operation) => {
      await run(site, 'finishUnzip', { operation })
    },
  })
}

/** Every refusal becomes an EngineError, whether it is thrown at once or later. */
function translated(files: SiteFiles): SiteFiles {
  const entries = Object.entries(files).map(([name, method]: [string, (...values: never[]) => Promise<unknown>]) => [
    name,
    async (...values: never[]) => {
      try {
        return await method(...values)
      } catch (error) {
        throw error instanceof FileRefusal ? engineError(error) : error
      }
    },
  ])
  return Object.fromEntries(entries) as SiteFiles
}

function engineError({ code, localized, nextAction }: FileRefusal): EngineError {
  return new EngineError(code, localized, { nextAction })
}

function assertChosen(chosen: readonly unknown[]): void {
  if (chosen.length > 0 && chosen.length <= siteFileLimits.chosen) return
  throw new FileRefusal(
    'invalid',
    msg`Choose between 1 and ${siteFileLimits.chosen} files and folders.`,
    msg`Choose fewer at once.`,
  )
}
