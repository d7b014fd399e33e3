import { nameOf, pathIn } from '#shared/rules/site-files.ts'
import { MoveDialog, NameDialog, UnzipDialog } from './file-dialogs.tsx'
import { shownName } from './file-data.ts'
import { t } from './messages.ts'
import { TrashDialog } from './trash-dialog.tsx'
import { freeName, type FileChanges } from './use-file-commands.ts'

/** The dialog that is open. */
export type OpenDialog =
  | { readonly kind: 'new_file' | 'new_folder' | 'trash' }
  | { readonly kind: 'rename' | 'unzip'; readonly name: string }
  | { readonly kind: 'move' | 'zip'; readonly names: readonly string[] }

/** One of the dialogs of the file manager. */
export function FileDialog({
  dialog,
  site,
  folder,
  names,
  locked,
  changes,
  onCreated,
  onUnzip,
  onZip,
  onClose,
}: {
  dialog: OpenDialog
  site: string
  folder: string
  /** Names in the folder. */
  names: ReadonlySet<string>
  locked: string | null
  changes: FileChanges
  /** A new file is there. */
  onCreated: (path: string) => void
  onUnzip: (name: string, folder: string, replace: boolean) => Promise<void>
  /** Starts to pack files of the folder into an archive of this path. */
  onZip: (names: readonly string[], to: string) => Promise<void>
  onClose: () => void
}) {
  if (dialog.kind === 'trash') return <TrashDialog site={site} locked={locked} onClose={onClose} />
  if (dialog.kind === 'move')
    return (
      <MoveDialog
        names={dialog.names}
        folder={folder}
        onClose={onClose}
        onMove={async (target) => {
          await changes.move(
            dialog.names.map((name) => pathIn(folder, name)),
            target,
          )
          onClose()
        }}
      />
    )
  if (dialog.kind === 'zip') {
    const [first = ''] = dialog.names
    const stem = dialog.names.length === 1 ? first : nameOf(folder) || t('files.zip_default')
    return (
      <NameDialog
        title={t('files.zip_title', { count: dialog.names.length, name: shownName(first) })}
        description={t('files.zip_text')}
        label={t('files.zip_name')}
        submit={t('files.zip')}
        value={freeName(`${stem}.zip`, names)}
        onClose={onClose}
        onName={async (name) => {
          await onZip(dialog.names, pathIn(folder, name))
          onClose()
        }}
      />
    )
  }
  if (dialog.kind === 'unzip')
    return (
      <UnzipDialog
        name={dialog.name}
        folder={folder}
        onClose={onClose}
        onUnzip={async (target, replace) => {
          await onUnzip(dialog.name, target, replace)
          onClose()
        }}
      />
    )
  if (dialog.kind === 'rename')
    return (
      <NameDialog
        title={t('files.rename_title', { name: shownName(dialog.name) })}
        label={t('files.new_name')}
        submit={t('files.rename')}
        value={dialog.name}
        onClose={onClose}
        onName={async (name) => {
          if (name !== dialog.name) await changes.rename(pathIn(folder, dialog.name), pathIn(folder, name))
          onClose()
        }}
      />
    )
  const isFile = dialog.kind === 'new_file'
  return (
    <NameDialog
      title={t(isFile ? 'files.new_file_title' : 'files.new_folder_title')}
      label={t('files.name')}
      submit={t('files.create')}
      value=""
      onClose={onClose}
      onName={async (name) => {
        const path = pathIn(folder, name)
        await (isFile ? changes.makeFile(path) : changes.makeFolder(path))
        onClose()
        if (isFile) onCreated(path)
      }}
    />
  )
}
