import { File, FileQuestion, Folder, Lock, MoreHorizontal } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import type { FileEntry } from '#shared/responses/site-files.ts'
import { pathIn } from '#shared/rules/site-files.ts'
import { t as actionText } from '#web/documents/actions/messages.ts'
import { formatBytes, formatAbsolute, formatRelative } from '#web/lib/i18n/format.ts'
import { RowCheckbox } from '#web/ui/form/checkbox.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Menu, MenuItem, MenuSeparator } from '#web/ui/overlay/menu.tsx'
import { Cell, HeadCell, NameCell, Row, Table } from '#web/ui/table.tsx'
import { isArchive, shownName } from './file-data.ts'
import { t } from './messages.ts'
import type { FileSelection } from './use-file-selection.ts'

/** What can be done with one entry. */
export interface EntryCommands {
  open(entry: FileEntry): void
  download(names: readonly string[]): void
  rename(entry: FileEntry): void
  move(names: readonly string[]): void
  duplicate(entry: FileEntry): void
  unzip(entry: FileEntry): void
  zip(names: readonly string[]): void
  remove(names: readonly string[]): void
}

interface FileRowsProps {
  readonly folder: string
  readonly entries: readonly FileEntry[]
  readonly total: number
  readonly busy: boolean
  readonly selection: FileSelection
  readonly commands: EntryCommands
  /** Why nothing can be changed now; null if it can. */
  readonly locked: string | null
  /** Whether a path belongs to the database of the site. */
  readonly isOwn: (path: string) => boolean
}

/** Moves the focus between the names of rows. */
function moveFocus(from: HTMLElement, by: number): void {
  const names = [...(from.closest('tbody')?.querySelectorAll<HTMLElement>('[data-file]') ?? [])]
  const at = names.indexOf(from)
  names[Math.min(Math.max(at + by, 0), names.length - 1)]?.focus()
}

/** The entries of a folder. */
export function FileRows(props: FileRowsProps) {
  const { entries, selection, busy, commands } = props
  const all = entries.length > 0 && selection.names.size === entries.length
  const onKey = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-file]') : null
    const entry = entries.find(({ name }) => name === target?.dataset['file'])
    if (!target || !entry || event.altKey) return
    const chosen = selection.names.has(entry.name) ? [...selection.names] : [entry.name]
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => moveFocus(target, 1),
      ArrowUp: () => moveFocus(target, -1),
      Home: () => moveFocus(target, -entries.length),
      End: () => moveFocus(target, entries.length),
      F2: () => commands.rename(entry),
      Delete: () => commands.remove(chosen),
      ' ': () => selection.toggle(entry.name, event.shiftKey),
      ...((event.ctrlKey || event.metaKey) && { a: () => selection.toggleAll() }),
    }
    const act = keys[event.key]
    if (!act) return
    event.preventDefault()
    act()
  }
  return (
    <Table label={t('files.list')} busy={busy} rowCount={props.total + 1}>
      <thead>
        <tr>
          <HeadCell className="w-9 pr-0! pl-2!">
            <RowCheckbox
              label={t('files.select_all')}
              checked={all}
              some={selection.names.size > 0}
              onChange={() => selection.toggleAll()}
            />
          </HeadCell>
          <HeadCell>{t('files.name')}</HeadCell>
          <HeadCell right className="max-md:hidden">
            {t('files.size')}
          </HeadCell>
          <HeadCell className="max-md:hidden">{t('files.changed')}</HeadCell>
          <HeadCell className="w-11">
            <span className="sr-only">{actionText('action.more')}</span>
          </HeadCell>
        </tr>
      </thead>
      {/* Keys of the names in it; each name is a button of its own. */}
      <tbody onKeyDown={onKey}>
        {entries.map((entry, index) => (
          <FileRow key={entry.name} {...props} entry={entry} isFirst={index === 0} />
        ))}
      </tbody>
    </Table>
  )
}

function EntryIcon({ entry, own }: { entry: FileEntry; own: boolean }) {
  const Icon = own ? Lock : entry.kind === 'folder' ? Folder : entry.kind === 'file' ? File : FileQuestion
  return <Icon size={16} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-muted" />
}

function FileRow({
  folder,
  entry,
  selection,
  commands,
  locked,
  isOwn,
  isFirst,
}: FileRowsProps & { entry: FileEntry; isFirst: boolean }) {
  const own = isOwn(pathIn(folder, entry.name))
  const name = shownName(entry.name)
  const note = own ? t('files.own') : entry.kind === 'other' ? t('files.link') : undefined
  const modified = new Date(entry.modified)
  return (
    <Row selected={selection.names.has(entry.name)}>
      <Cell className="w-9 pr-0! pl-2!">
        <RowCheckbox
          label={t('files.select', { name })}
          checked={selection.names.has(entry.name)}
          onChange={() => selection.toggle(entry.name)}
          onClick={(event) => {
            if (!event.shiftKey) return
            event.preventDefault()
            selection.toggle(entry.name, true)
          }}
        />
      </Cell>
      <NameCell className="w-full max-w-0">
        <button
          type="button"
          data-file={entry.name}
          tabIndex={isFirst ? 0 : -1}
          title={note}
          className="flex min-h-9 w-full min-w-0 items-center gap-2 rounded-xs text-left"
          onClick={() => commands.open(entry)}
          onFocus={(event) => {
            // One stop for Tab; the arrows go on from there.
            for (const other of event.currentTarget.closest('tbody')?.querySelectorAll('[data-file]') ?? [])
              other.setAttribute('tabindex', other === event.currentTarget ? '0' : '-1')
          }}
        >
          <EntryIcon entry={entry} own={own} />
          <span className="min-w-0">
            <span className="block truncate" translate="no">
              <bdi>{name}</bdi>
            </span>
            {note ? <span className="block truncate text-meta font-normal text-muted">{note}</span> : null}
            {entry.kind === 'file' ? (
              <span className="block text-meta font-normal text-muted md:hidden">{formatBytes(entry.size)}</span>
            ) : null}
          </span>
        </button>
      </NameCell>
      <Cell right className="text-muted tabular-nums max-md:hidden">
        {entry.kind === 'file' ? formatBytes(entry.size) : ''}
      </Cell>
      <Cell className="text-muted max-md:hidden">
        <time dateTime={modified.toISOString()} title={formatAbsolute(modified)}>
          {formatRelative(modified)}
        </time>
      </Cell>
      <Cell className="w-11 px-1!">
        <EntryMenu entry={entry} commands={commands} locked={own ? t('files.own') : locked} />
      </Cell>
    </Row>
  )
}

function EntryMenu({ entry, commands, locked }: { entry: FileEntry; commands: EntryCommands; locked: string | null }) {
  const { name, kind } = entry
  const link = kind === 'other' ? t('files.link') : null
  return (
    <Menu
      trigger={
        <IconButton size="md" label={t('files.actions_of', { name: shownName(name) })}>
          <MoreHorizontal size={16} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
      }
    >
      <MenuItem reason={link} onSelect={() => commands.open(entry)}>
        {t('files.open')}
      </MenuItem>
      <MenuItem reason={link} onSelect={() => commands.download([name])}>
        {t(kind === 'folder' ? 'files.download_zip' : 'files.download')}
      </MenuItem>
      {kind === 'file' && isArchive(name) ? (
        <MenuItem reason={locked} onSelect={() => commands.unzip(entry)}>
          {t('files.unzip')}
        </MenuItem>
      ) : null}
      <MenuItem reason={locked ?? link} onSelect={() => commands.zip([name])}>
        {t('files.zip')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem
        reason={locked}
        aside={<kbd className="text-meta text-muted">F2</kbd>}
        onSelect={() => commands.rename(entry)}
      >
        {t('files.rename')}
      </MenuItem>
      <MenuItem reason={locked} onSelect={() => commands.move([name])}>
        {t('files.move')}
      </MenuItem>
      <MenuItem reason={locked ?? link} onSelect={() => commands.duplicate(entry)}>
        {t('files.duplicate')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem danger reason={locked} onSelect={() => commands.remove([name])}>
        {t('files.delete')}
      </MenuItem>
    </Menu>
  )
}
