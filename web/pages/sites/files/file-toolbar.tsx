import {
  ChevronRight,
  Download,
  FileArchive,
  FilePlus,
  FolderInput,
  FolderPlus,
  FolderUp,
  Plus,
  Trash2,
  Upload,
  X,
} from 'lucide-react'
import { useRef, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Menu, MenuItem } from '#web/ui/overlay/menu.tsx'
import { chosenFiles } from './dropped-files.ts'
import type { OpenDialog } from './file-dialog.tsx'
import { shownName } from './file-data.ts'
import type { EntryCommands } from './file-rows.tsx'
import { t } from './messages.ts'
import type { FileSelection } from './use-file-selection.ts'
import { useUploadQuestion } from './use-upload-question.tsx'

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const

interface FileToolbarProps {
  readonly site: string
  readonly folder: string
  /** Names in the folder. */
  readonly names: ReadonlySet<string>
  readonly selection: FileSelection
  readonly commands: EntryCommands
  readonly locked: string | null
  readonly onOpen: (folder: string) => void
  readonly onDialog: (dialog: OpenDialog) => void
}

/** Where the user is, and what can be done there or with what is chosen. */
export function FileToolbar(props: FileToolbarProps) {
  const { folder, selection, onOpen } = props
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-2">
      <Breadcrumb folder={folder} onOpen={onOpen} />
      <div className="ml-auto flex flex-wrap items-center gap-2">
        {selection.names.size > 0 ? <SelectionButtons {...props} /> : <FolderButtons {...props} />}
      </div>
    </div>
  )
}

function Breadcrumb({ folder, onOpen }: { folder: string; onOpen: (folder: string) => void }) {
  const names = folder === '' ? [] : folder.split('/')
  return (
    <nav aria-label={t('files.path')} className="min-w-0 flex-1 basis-52">
      <ol className="flex min-w-0 flex-wrap items-center text-table">
        <Crumb last={names.length === 0} onOpen={() => onOpen('')}>
          {t('files.root')}
        </Crumb>
        {names.map((name, index) => (
          <Crumb
            key={names.slice(0, index + 1).join('/')}
            last={index === names.length - 1}
            onOpen={() => onOpen(names.slice(0, index + 1).join('/'))}
          >
            <bdi translate="no">{shownName(name)}</bdi>
          </Crumb>
        ))}
      </ol>
    </nav>
  )
}

function Crumb({ last, onOpen, children }: { last: boolean; onOpen: () => void; children: ReactNode }) {
  return (
    <li className="flex min-w-0 items-center">
      {last ? (
        <span aria-current="page" className="truncate px-1.5 font-medium">
          {children}
        </span>
      ) : (
        <>
          <button
            type="button"
            className="min-h-8 truncate rounded-xs px-1.5 text-muted hover:bg-hover hover:text-fg"
            onClick={onOpen}
          >
            {children}
          </button>
          <ChevronRight size={14} aria-hidden="true" className="shrink-0 text-muted" />
        </>
      )}
    </li>
  )
}

function SelectionButtons({ selection, commands, locked }: FileToolbarProps) {
  const names = [...selection.names]
  return (
    <>
      <span role="status" className="text-table text-muted">
        {t('files.selected', { count: names.length })}
      </span>
      <Button onClick={() => commands.download(names)}>
        <Download {...icon} />
        {t('files.download')}
      </Button>
      <Button disabled={locked !== null} title={locked ?? undefined} onClick={() => commands.move(names)}>
        <FolderInput {...icon} />
        {t('files.move')}
      </Button>
      <Button disabled={locked !== null} title={locked ?? undefined} onClick={() => commands.zip(names)}>
        <FileArchive {...icon} />
        {t('files.zip')}
      </Button>
      <Button
        disabled={locked !== null}
        title={locked ?? undefined}
        onClick={() => {
          commands.remove(names)
          selection.clear()
        }}
      >
        <Trash2 {...icon} />
        {t('files.delete')}
      </Button>
      <IconButton label={t('files.clear')} onClick={() => selection.clear()}>
        <X {...icon} />
      </IconButton>
    </>
  )
}

function FolderButtons({ site, folder, names, locked, onDialog }: FileToolbarProps) {
  const files = useRef<HTMLInputElement>(null)
  const folders = useRef<HTMLInputElement>(null)
  const { upload, question } = useUploadQuestion(site, folder, names)
  const choose = (input: HTMLInputElement) => {
    const chosen = chosenFiles([...(input.files ?? [])])
    input.value = ''
    upload(chosen)
  }
  return (
    <>
      <Button onClick={() => onDialog({ kind: 'trash' })}>
        <Trash2 {...icon} />
        {t('files.trash')}
      </Button>
      <Menu
        trigger={
          <Button disabled={locked !== null} title={locked ?? undefined}>
            <Plus {...icon} />
            {t('files.new')}
          </Button>
        }
      >
        <MenuItem icon={<FilePlus {...icon} />} onSelect={() => onDialog({ kind: 'new_file' })}>
          {t('files.new_file')}
        </MenuItem>
        <MenuItem icon={<FolderPlus {...icon} />} onSelect={() => onDialog({ kind: 'new_folder' })}>
          {t('files.new_folder')}
        </MenuItem>
      </Menu>
      <Menu
        trigger={
          <Button variant="primary" disabled={locked !== null} title={locked ?? undefined}>
            <Upload {...icon} />
            {t('files.upload')}
          </Button>
        }
      >
        <MenuItem icon={<Upload {...icon} />} onSelect={() => files.current?.click()}>
          {t('files.upload_files')}
        </MenuItem>
        <MenuItem icon={<FolderUp {...icon} />} onSelect={() => folders.current?.click()}>
          {t('files.upload_folder')}
        </MenuItem>
      </Menu>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label={t('files.upload_files')}
        onChange={(event) => choose(event.target)}
      />
      <input
        ref={folders}
        type="file"
        hidden
        aria-label={t('files.upload_folder')}
        {...{ webkitdirectory: '' }}
        onChange={(event) => choose(event.target)}
      />
      {question}
    </>
  )
}
