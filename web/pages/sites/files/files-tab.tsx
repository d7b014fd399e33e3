import { FolderOpen } from 'lucide-react'
import { useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { FileEntry } from '#shared/responses/site-files.ts'
import { isOwnFile, pathIn, nameOf } from '#shared/rules/site-files.ts'
import { useActionRunner, useActions } from '#web/documents/actions/use-actions.ts'
import { useDocEvents } from '#web/lib/events/use-events.ts'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StillLoading } from '#web/ui/still-loading.tsx'
import { DropArea } from './drop-area.tsx'
import { FileDialog, type OpenDialog } from './file-dialog.tsx'
import { FileEditor } from './file-editor.tsx'
import { rereadFolders, saveFiles, useFolder } from './file-data.ts'
import { FileRows, type EntryCommands } from './file-rows.tsx'
import { FileToolbar } from './file-toolbar.tsx'
import { FolderTree } from './folder-tree.tsx'
import { t } from './messages.ts'
import { UploadList } from './upload-list.tsx'
import { useFileSelection } from './use-file-selection.ts'
import { fileChanges } from './use-file-commands.ts'

/** Why nothing in the files can be changed now; null if it can. */
function useLock(site: Site): string | null {
  const gate = useActions(SiteDoctype, { ...site, doctype: 'Site' }).find(({ name }) => name === 'write_file')?.gate
  if (gate === undefined) return t('files.unavailable')
  return gate.enabled ? null : gate.reason
}

/** The file manager of a site. */
export function SiteFilesTab({ site }: { site: Site }) {
  const read = useActions(SiteDoctype, { ...site, doctype: 'Site' }).find(({ name }) => name === 'list_files')?.gate
  if (read !== undefined && !read.enabled)
    return (
      <Card>
        <EmptyState title={t('files.unavailable')}>{read.reason}</EmptyState>
      </Card>
    )
  return <FileManager site={site} />
}

function FileManager({ site }: { site: Site }) {
  const [folder, setFolder] = useState('')
  const [start, setStart] = useState(0)
  const [file, setFile] = useState<string | null>(null)
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const locked = useLock(site)
  const { data, error, isLoading, isSlow, isValidating, reload } = useFolder(site.name, folder, start)
  const entries = data?.entries ?? []
  const selection = useFileSelection(entries.map(({ name }) => name))
  const { run } = useActionRunner(SiteDoctype)
  const changes = fileChanges(site.name)
  // A job of this site may have unpacked something.
  useDocEvents('Site', site.name, () => void rereadFolders(site.name))
  // On servers it is on MariaDB.
  const isOwn = (path: string) => site.site_type === 'wp' && site.engine !== 'ee' && isOwnFile(path)
  const openFolder = (path: string) => {
    setFolder(path)
    setStart(0)
    selection.clear()
  }
  const pathsOf = (names: readonly string[]) => names.map((name) => pathIn(folder, name))
  const ifChangeable = (work: () => void) => {
    if (locked === null) work()
  }
  const commands: EntryCommands = {
    open: ({ name, kind }) => {
      if (kind === 'folder') openFolder(pathIn(folder, name))
      else if (kind === 'file') setFile(pathIn(folder, name))
    },
    download: (names) => saveFiles(site.name, pathsOf(names), names.length > 1 || isFolderIn(entries, names[0])),
    rename: ({ name }) => ifChangeable(() => setDialog({ kind: 'rename', name })),
    move: (names) => ifChangeable(() => setDialog({ kind: 'move', names })),
    duplicate: ({ name }) => void changes.duplicate(pathIn(folder, name), new Set(entries.map((one) => one.name))),
    unzip: ({ name }) => setDialog({ kind: 'unzip', name }),
    zip: (names) => ifChangeable(() => setDialog({ kind: 'zip', names })),
    remove: (names) => ifChangeable(() => void changes.remove(pathsOf(names))),
  }
  if (file !== null)
    return (
      <FileEditor
        key={file}
        site={site.name}
        path={file}
        own={isOwn(file)}
        wordpress={site.site_type === 'wp'}
        locked={locked}
        onClose={() => setFile(null)}
      />
    )
  return (
    <div className="grid gap-4">
      <FileToolbar
        site={site.name}
        folder={folder}
        names={new Set(entries.map(({ name }) => name))}
        selection={selection}
        commands={commands}
        locked={locked}
        onOpen={openFolder}
        onDialog={setDialog}
      />
      <UploadList site={site.name} />
      <div className="grid items-start gap-4 lg:grid-cols-[220px_minmax(0,1fr)]">
        <Card className="max-h-[70vh] overflow-auto p-2 max-lg:hidden">
          <FolderTree site={site.name} current={folder} onOpen={openFolder} />
        </Card>
        <DropArea site={site.name} folder={folder} names={new Set(entries.map(({ name }) => name))} locked={locked}>
          <StillLoading slow={isSlow} />
          {error && !data ? (
            <ErrorPanel title={t('files.error_title')} error={error} onRetry={() => reload()} />
          ) : isLoading || !data ? (
            <Skeleton className="h-64 w-full rounded-card" />
          ) : entries.length === 0 ? (
            <Card>
              <EmptyState icon={<FolderOpen size={20} strokeWidth={1.75} />} title={t('files.empty_title')}>
                {t('files.empty')}
              </EmptyState>
            </Card>
          ) : (
            <FileRows
              folder={folder}
              entries={entries}
              total={data.total}
              busy={isValidating}
              selection={selection}
              commands={commands}
              locked={locked}
              isOwn={isOwn}
            />
          )}
          {data && (start > 0 || data.next !== null) ? (
            <Parts start={start} shown={entries.length} total={data.total} next={data.next} onStart={setStart} />
          ) : null}
        </DropArea>
      </div>
      {dialog === null ? null : (
        <FileDialog
          dialog={dialog}
          site={site.name}
          folder={folder}
          names={new Set(entries.map(({ name }) => name))}
          locked={locked}
          changes={changes}
          onCreated={(path) => setFile(path)}
          onUnzip={async (name, target, replace) => {
            const args = { path: pathIn(folder, nameOf(name)), folder: target, replace: replace ? 1 : 0 }
            await run(site, 'unzip_file', args)
          }}
          onZip={async (names, to) => {
            await run(site, 'zip_files', { paths: pathsOf(names), to })
            selection.clear()
          }}
          onClose={() => setDialog(null)}
        />
      )}
    </div>
  )
}

function isFolderIn(entries: readonly FileEntry[], name: string | undefined): boolean {
  return entries.some((entry) => entry.name === name && entry.kind === 'folder')
}

/** Goes through a folder with more entries than are shown at once. */
function Parts({
  start,
  shown,
  total,
  next,
  onStart,
}: {
  start: number
  shown: number
  total: number
  next: number | null
  onStart: (start: number) => void
}) {
  return (
    <div className="mt-3 flex flex-wrap items-center justify-end gap-2 text-table text-muted">
      <span>{t('files.part', { from: start + 1, to: start + shown, total })}</span>
      <Button size="md" disabled={start === 0} onClick={() => onStart(Math.max(0, start - 1_000))}>
        {t('files.previous')}
      </Button>
      <Button size="md" disabled={next === null} onClick={() => onStart(next ?? 0)}>
        {t('files.next')}
      </Button>
    </div>
  )
}
