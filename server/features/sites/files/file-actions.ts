import type { ActionEntry } from '#server/contracts/controller.ts'
import { controller, type Controller } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { SiteFiles } from '#server/engines/site-files.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, plural, untranslated, type LocalizedMessage } from '#shared/localized-message.ts'
import { nameOf, pathIn } from '#shared/rules/site-files.ts'
import type { SitesDeps } from '../deps.ts'
import { enqueueFor } from '../enqueue-site.ts'
import { siteCall, type SiteCall } from '../site-call.ts'
import { openDownload } from './download.ts'
import { shownPath } from '../shown-path.ts'
import type { UploadContents } from '../placed-uploads.ts'

type Run = SiteCall<'files'>['run']

/** Actions about the files of a site. All of them call the engine after the transaction. */
export function fileActionHandlers(deps: SitesDeps, contents: UploadContents): Controller {
  const read = (tx: Tx, site: Site, run: Run) => siteCall(deps, tx, site, { needs: 'files', run })
  const change = (tx: Tx, site: Site, detail: LocalizedMessage | null, run: Run) =>
    siteCall(deps, tx, site, { needs: 'files', changes: true, entry: entryOf(detail), run })
  /** A change whose result says nothing. */
  const act = (
    tx: Tx,
    site: Site,
    detail: LocalizedMessage | null,
    run: (files: SiteFiles, ref: SiteRef) => Promise<unknown>,
  ) =>
    change(tx, site, detail, async ({ files }, ref) => {
      await run(files, ref)
      return null
    })
  return controller(SiteDoctype, {
    actions: {
      list_files: (site, { folder, start }, { tx }) =>
        read(tx, site, async ({ files }, ref) => ({ ...(await files.list(ref, folder ?? '', start ?? 0)) })),
      read_file: (site, { path }, { tx }) =>
        read(tx, site, async ({ files }, ref) => ({ ...(await files.read(ref, path)) })),
      list_trash: (site, _args, { tx }) =>
        read(tx, site, async ({ files }, ref) =>
          (await files.trash(ref)).map(({ id, paths, deleted }) => ({ trash: id, paths, deleted })),
        ),
      download_files: (site, args, { tx }) => {
        const paths = pathsOf(args.paths)
        return siteCall(deps, tx, site, {
          needs: 'files',
          entry: entryOf(named(paths)),
          run: async ({ files }, ref) =>
            // The wire recognizes this very object.
            (await openDownload(files, ref, paths, args.zip === 1)) as unknown as Record<string, unknown>,
        })
      },
      write_file: (site, { path, content, version }, { tx }) =>
        change(tx, site, named([path]), ({ files }, ref) => files.write(ref, path, content ?? '', version)),
      create_folder: (site, { path }, { tx }) =>
        act(tx, site, named([path]), (files, ref) => files.makeFolder(ref, path)),
      move_files: (site, args, { tx }) => {
        const paths = pathsOf(args.paths)
        const moves = paths.map((from) => ({ from, to: pathIn(args.folder ?? '', nameOf(from)) }))
        return act(tx, site, named(paths), (files, ref) => files.move(ref, moves))
      },
      rename_file: (site, { path, to }, { tx }) =>
        act(tx, site, fromTo(path, to), (files, ref) => files.move(ref, [{ from: path, to }])),
      copy_file: (site, { path, to }, { tx }) =>
        act(tx, site, fromTo(path, to), (files, ref) => files.copy(ref, path, to)),
      delete_files: (site, args, { tx }) => {
        const paths = pathsOf(args.paths)
        return change(tx, site, named(paths), async ({ files }, ref) => ({
          trash: (await files.remove(ref, paths)).id,
        }))
      },
      restore_files: (site, { trash }, { tx }) => change(tx, site, null, ({ files }, ref) => files.restore(ref, trash)),
      empty_trash: (site, _args, { tx }) => act(tx, site, null, (files, ref) => files.emptyTrash(ref)),
      put_file: (site, { upload, path, replace }, { tx, session }) =>
        change(tx, site, named([path]), ({ files }, ref) =>
          files.put(ref, path, contents.pathOf(session, upload), replace === 1),
        ),
      zip_files: (site, args, { tx }) =>
        enqueueFor(deps, tx, site, 'site.zip_files', { paths: pathsOf(args.paths), to: args.to }),
      unzip_file: (site, { path, folder, replace }, { tx }) =>
        enqueueFor(deps, tx, site, 'site.unzip_file', { path, folder: folder ?? '', replace }),
    },
  })
}

function entryOf(detail: LocalizedMessage | null): ActionEntry {
  return detail === null ? {} : { detail }
}

/** The chosen files for the log, which has room for one of them. */
function named(paths: readonly string[]): LocalizedMessage {
  const [first = '', ...others] = paths
  if (others.length === 0) return untranslated(shownPath(first))
  return plural(
    others.length,
    msg`${shownPath(first)} and ${others.length} other`,
    msg`${shownPath(first)} and ${others.length} others`,
  )
}

function fromTo(from: string, to: string): LocalizedMessage {
  return msg`${shownPath(from)} to ${shownPath(to)}`
}

function pathsOf(value: unknown): string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value
  throw new AppError('invalid', msg`The files must be a list of paths.`, { field: 'paths' })
}
