import { filesDeleted, filesRestored } from '#shared/responses/site-files.ts'
import { folderOf, nameOf, pathIn } from '#shared/rules/site-files.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { undoButton } from '#web/documents/actions/undo-button.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { rereadFolders, shownName } from './file-data.ts'
import { t } from './messages.ts'

/** Changes of a site's files. Those that a dialog starts throw; it shows why. */
export interface FileChanges {
  makeFile(path: string): Promise<void>
  makeFolder(path: string): Promise<void>
  /** It and moving offer to undo it. */
  rename(path: string, to: string): Promise<void>
  move(paths: readonly string[], folder: string): Promise<void>
  duplicate(path: string, names: ReadonlySet<string>): Promise<void>
  /** Offers to undo it. */
  remove(paths: readonly string[]): Promise<void>
}

/** The changes of one site's files; the shown folders are read again after each. */
export function fileChanges(site: string): FileChanges {
  const act = async (action: string, args: Record<string, unknown>): Promise<unknown> => {
    const result = await runAction<unknown>('Site', site, action, args)
    await rereadFolders(site)
    return result
  }
  const inToast = async (title: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (thrown) {
      showToast({ title, description: fullMessage(toApiError(thrown)), variant: 'danger' })
      await rereadFolders(site)
    }
  }
  const restore = (trash: string) =>
    inToast(t('files.restore_failed'), async () => {
      const { paths } = checkedResult(filesRestored, await act('restore_files', { trash }))
      showToast({ title: t('files.restored', namesIn(paths)), variant: 'success' })
    })
  return {
    makeFile: async (path) => void (await act('write_file', { path, content: '', version: null })),
    makeFolder: async (path) => void (await act('create_folder', { path })),
    async rename(path, to) {
      await act('rename_file', { path, to })
      showToast({
        title: t('files.renamed', { name: shownName(nameOf(path)), to: shownName(nameOf(to)) }),
        variant: 'success',
        action: undoButton({ undo: () => act('rename_file', { path: to, to: path }) }),
      })
    },
    async move(paths, folder) {
      await act('move_files', { paths, folder })
      const undo = async () => {
        for (const [from, some] of Map.groupBy(paths, folderOf))
          await act('move_files', { paths: some.map((path) => pathIn(folder, nameOf(path))), folder: from })
      }
      showToast({
        title: t('files.moved', namesIn(paths)),
        variant: 'success',
        action: undoButton({ undo, done: t('files.moved_back') }),
      })
    },
    duplicate: (path, names) =>
      inToast(t('files.failed'), async () => {
        await act('copy_file', { path, to: pathIn(folderOf(path), freeName(nameOf(path), names)) })
      }),
    remove: (paths) =>
      inToast(t('files.delete_failed'), async () => {
        const { trash } = checkedResult(filesDeleted, await act('delete_files', { paths }))
        showToast({
          title: t('files.deleted', namesIn(paths)),
          action: undoButton({ undo: () => restore(trash) }, { lasting: true }),
        })
      }),
  }
}

function namesIn(paths: readonly string[]): { count: number; name: string } {
  return { count: paths.length, name: shownName(nameOf(paths[0] ?? '')) }
}

/** A name for a copy that no other entry has: "photo 2.jpg". */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  let free = name
  for (let number = 2; taken.has(free); number += 1) free = `${stem} ${number}${ending}`
  return free
}
