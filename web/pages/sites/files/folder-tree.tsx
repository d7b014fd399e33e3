import { ChevronRight, Folder } from 'lucide-react'
import { useState } from 'react'
import { pathIn } from '#shared/rules/site-files.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { shownName, useFolder } from './file-data.ts'
import { t } from './messages.ts'

/** The folders of a site as a tree; each level is loaded when it is opened. The list is where files are. */
export function FolderTree({
  site,
  current,
  onOpen,
}: {
  site: string
  current: string
  onOpen: (folder: string) => void
}) {
  return (
    <nav aria-label={t('files.folders')} className="overflow-auto">
      <ul>
        <Branch site={site} path="" name={t('files.root')} current={current} onOpen={onOpen} open />
      </ul>
    </nav>
  )
}

interface BranchProps {
  readonly site: string
  readonly path: string
  readonly name: string
  readonly current: string
  readonly onOpen: (folder: string) => void
  readonly open?: boolean
}

function Branch({ site, path, name, current, onOpen, open = false }: BranchProps) {
  const [isOpen, setOpen] = useState(open)
  const holdsCurrent = path === '' || current === path || current.startsWith(`${path}/`)
  const showsBelow = isOpen || (holdsCurrent && current !== path)
  const { data } = useFolder(site, showsBelow ? path : null)
  const below = (data?.entries ?? []).filter(({ kind }) => kind === 'folder')
  const isEmpty = data !== undefined && below.length === 0
  return (
    <li>
      <div
        className={cx(
          'flex h-8 min-w-0 items-center rounded-ctl text-table touch:h-10',
          current === path ? 'bg-brand-bg font-medium text-brand-text' : 'hover:bg-hover',
        )}
      >
        <button
          type="button"
          className={cx('grid size-7 shrink-0 place-items-center text-muted', isEmpty && 'invisible')}
          aria-expanded={showsBelow}
          aria-label={t(showsBelow ? 'files.folder_close' : 'files.folder_open', { name })}
          onClick={() => setOpen(!showsBelow)}
        >
          <ChevronRight
            size={14}
            aria-hidden="true"
            className={cx('transition-transform', showsBelow && 'rotate-90')}
          />
        </button>
        <button
          type="button"
          aria-current={current === path ? 'true' : undefined}
          className="flex min-w-0 flex-1 items-center gap-1.5 pr-2 text-left"
          onClick={() => onOpen(path)}
        >
          <Folder size={16} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-muted" />
          <span className="truncate" translate={path === '' ? undefined : 'no'}>
            <bdi>{name}</bdi>
          </span>
        </button>
      </div>
      {showsBelow && below.length > 0 ? (
        <ul className="ml-3 border-l border-hairline pl-1">
          {below.map((entry) => (
            <Branch
              key={entry.name}
              site={site}
              path={pathIn(path, entry.name)}
              name={shownName(entry.name)}
              current={current}
              onOpen={onOpen}
            />
          ))}
        </ul>
      ) : null}
    </li>
  )
}
