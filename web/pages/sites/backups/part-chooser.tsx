import { ChevronRight, File, Folder, Table2, X } from 'lucide-react'
import { useId, useState } from 'react'
import { backupContents } from '#shared/responses/backups.ts'
import { maxBackupParts, tableMark } from '#shared/rules/backups.ts'
import { isConfiguration, isOwnFile, pathIn } from '#shared/rules/site-files.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { formatBytes } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { RowCheckbox } from '#web/ui/form/checkbox.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { shownName } from '../files/file-data.ts'
import { countsText } from './backup-texts.ts'
import { t } from './messages.ts'

/** What can be chosen in a folder of a backup. */
interface Choice {
  /** As a restore takes it. */
  readonly part: string
  readonly name: string
  readonly kind: 'folder' | 'file' | 'table'
  readonly detail: string
}

/** Chooses files, folders and tables of a backup. */
export function PartChooser({
  backup,
  isWordPress,
  withTables,
  parts,
  error,
  onChange,
}: {
  backup: string
  isWordPress: boolean
  withTables: boolean
  parts: readonly string[]
  error: string | null
  onChange: (parts: readonly string[]) => void
}) {
  const [folder, setFolder] = useState('')
  const label = useId()
  const contents = useMethod(
    'run_doc_method',
    { dt: 'Site Backup', dn: backup, method: 'contents', args: { folder } },
    { verb: 'POST', returns: backupContents, revalidateOnFocus: false },
  )
  const choices: Choice[] = [
    ...(contents.data?.entries ?? []).map(({ name, is_folder: isFolder, files, size }) => ({
      part: pathIn(folder, name),
      name,
      kind: isFolder ? ('folder' as const) : ('file' as const),
      detail: isFolder ? `${countsText([['files', files]])}, ${formatBytes(size)}` : formatBytes(size),
    })),
    ...(withTables ? (contents.data?.tables ?? []) : []).map(({ name, rows }) => ({
      part: `${tableMark}${name}`,
      name,
      kind: 'table' as const,
      detail: countsText([['rows', rows]]),
    })),
  ]
  const chosen = new Set(parts)
  const toggle = (part: string) =>
    onChange(
      chosen.has(part)
        ? parts.filter((one) => one !== part)
        : // What is in a chosen folder comes along.
          [...parts.filter((one) => !one.startsWith(`${part}/`)), part],
    )
  const isInside = (part: string) => parts.some((one) => part.startsWith(`${one}/`))
  const isFixed = (part: string) => isWordPress && (isOwnFile(part) || isConfiguration(part))
  return (
    <section aria-labelledby={label} className="grid gap-2 text-table">
      <h3 id={label} className="font-medium">
        {t('parts.title')}
      </h3>
      <Crumbs folder={folder} onOpen={setFolder} />
      {contents.error ? (
        <ErrorPanel title={t('parts.error')} error={contents.error} onRetry={contents.reload} />
      ) : contents.data === undefined ? (
        <Skeleton className="h-40" />
      ) : (
        <ul className="max-h-64 overflow-y-auto rounded-ctl border border-border" aria-label={t('parts.list')}>
          {choices.map(({ part, name, kind, detail }) => (
            <li key={part} className="flex min-h-9 items-center gap-1 border-b border-border px-1 last:border-b-0">
              <RowCheckbox
                label={t(`parts.choose_${kind}`, { name: shownName(name) })}
                checked={chosen.has(part) || isInside(part)}
                some={parts.some((one) => one.startsWith(`${part}/`))}
                disabled={isInside(part) || isFixed(part) || (!chosen.has(part) && parts.length >= maxBackupParts)}
                onChange={() => toggle(part)}
              />
              <Entry choice={{ part, name, kind, detail }} onOpen={setFolder} />
            </li>
          ))}
          {choices.length === 0 ? <li className="p-3 text-muted">{t('parts.empty')}</li> : null}
          {contents.data.more > 0 ? (
            <li className="p-3 text-muted">{t('parts.more', { count: contents.data.more })}</li>
          ) : null}
        </ul>
      )}
      <Chosen parts={parts} onRemove={toggle} />
      {error === null ? null : (
        <p role="alert" className="text-meta text-bad">
          {error}
        </p>
      )}
    </section>
  )
}

function Entry({ choice: { part, name, kind, detail }, onOpen }: { choice: Choice; onOpen: (path: string) => void }) {
  const Icon = kind === 'table' ? Table2 : kind === 'folder' ? Folder : File
  const text = (
    <>
      <Icon size={16} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-muted" />
      <span translate="no" className="min-w-0 truncate">
        {shownName(name)}
      </span>
    </>
  )
  return (
    <>
      {kind === 'folder' ? (
        <button
          type="button"
          className="flex min-w-0 items-center gap-2 py-1.5 hover:underline touch:py-3"
          onClick={() => onOpen(part)}
        >
          {text}
          <ChevronRight size={14} aria-hidden="true" className="shrink-0 text-muted" />
        </button>
      ) : (
        <span className="flex min-w-0 items-center gap-2">{text}</span>
      )}
      <span className="ml-auto pr-2 pl-3 text-right text-meta whitespace-nowrap text-muted">{detail}</span>
    </>
  )
}

/** Where the list is, and the ways up. */
function Crumbs({ folder, onOpen }: { folder: string; onOpen: (path: string) => void }) {
  const names = folder === '' ? [] : folder.split('/')
  return (
    <nav aria-label={t('parts.where')} className="flex flex-wrap items-center gap-1 text-muted">
      {['', ...names].map((name, depth) => {
        const path = names.slice(0, depth).join('/')
        const shown = depth === 0 ? t('parts.root') : shownName(name)
        return (
          <span key={path} className="flex min-w-0 items-center gap-1">
            {depth > 0 ? <ChevronRight size={14} aria-hidden="true" /> : null}
            {path === folder ? (
              <span aria-current="true" className="break-all text-fg">
                {shown}
              </span>
            ) : (
              <button type="button" className="break-all hover:underline touch:py-2" onClick={() => onOpen(path)}>
                {shown}
              </button>
            )}
          </span>
        )
      })}
    </nav>
  )
}

function Chosen({ parts, onRemove }: { parts: readonly string[]; onRemove: (part: string) => void }) {
  if (parts.length === 0) return <p className="text-muted">{t('parts.none')}</p>
  return (
    <ul aria-label={t('parts.chosen')} className="flex max-h-32 flex-wrap gap-1.5 overflow-y-auto">
      {parts.map((part) => {
        const name = shownName(part.startsWith(tableMark) ? part.slice(tableMark.length) : part)
        return (
          <li key={part} className="max-w-full">
            <Button size="sm" aria-label={t('parts.remove', { name })} onClick={() => onRemove(part)}>
              <span translate="no" className="min-w-0 truncate">
                {name}
              </span>
              <X size={14} aria-hidden="true" className="shrink-0" />
            </Button>
          </li>
        )
      })}
    </ul>
  )
}
