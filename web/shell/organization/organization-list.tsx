import { Check, Plus } from 'lucide-react'
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import { Link } from '#web/lib/routing/router.tsx'
import { toApiError } from '#web/lib/api/api-error.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { switchOrganization } from '#web/lib/session/organizations.ts'
import { useSession, type AvailableOrganization } from '#web/lib/session/session.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { OrganizationMark } from '#web/ui/images/avatar.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { words } from '../messages.ts'
import { roleName } from '../top-bar/role-name.ts'

/** Searchable list by the combobox pattern: the focus stays in the box, arrows choose, Enter switches. */
export function OrganizationList({ onDone }: { onDone: () => void }) {
  const { organization, organizations } = useSession()
  const listId = useId()
  const box = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [busy, setBusy] = useState<string | null>(null)
  // The panel opened before this list was loaded.
  useEffect(() => box.current?.focus(), [])
  const wanted = text.trim().toLowerCase()
  const found = organizations.filter(
    ({ name, title }) => title.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted),
  )
  const active = found[Math.min(at, found.length - 1)]
  const optionId = (entry: AvailableOrganization): string => `${listId}-${entry.name}`

  const choose = async (entry: AvailableOrganization): Promise<void> => {
    if (busy) return
    if (entry.name === organization?.name) {
      showToast({ title: t('switch.already'), variant: 'info' })
      return onDone()
    }
    setBusy(entry.name)
    try {
      await switchOrganization(entry.name)
      // The document in the address belongs to the organization left behind.
      location.assign('/web/')
    } catch (error) {
      setBusy(null)
      showToast({ title: t('switch.failed'), description: toApiError(error).message, variant: 'danger' })
    }
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: found.length - 1 }[event.key]
    if (to !== undefined && found.length > 0) {
      event.preventDefault()
      setAt((to + found.length) % found.length)
    }
    if (event.key === 'Enter' && active) {
      event.preventDefault()
      void choose(active)
    }
  }

  return (
    <>
      <div className="border-b border-hairline p-1">
        <input
          ref={box}
          role="combobox"
          aria-label={words('shell.search_organization')}
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={active ? optionId(active) : undefined}
          placeholder={words('shell.search_organization')}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
          className="h-8 w-full rounded-ctl bg-transparent px-2 text-table outline-none max-md:h-11 max-md:text-lead"
        />
      </div>
      <div
        id={listId}
        role="listbox"
        aria-label={words('shell.search_organization')}
        className="max-h-72 overflow-y-auto p-1"
      >
        {found.map((entry) => (
          <button
            key={entry.name}
            id={optionId(entry)}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={entry.name === organization?.name}
            onClick={() => void choose(entry)}
            onMouseMove={() => setAt(found.indexOf(entry))}
            className={cx(
              'flex w-full items-center gap-2.5 rounded-ctl px-2 py-1.5 text-left',
              entry === active && 'bg-hover',
            )}
          >
            <OrganizationMark name={entry.title} />
            <span className="min-w-0 flex-1">
              <span className="block truncate text-table font-medium">{entry.title}</span>
              <span className="block truncate text-meta text-muted">
                {entry.name === organization?.name && organization.owner ? words('shell.owner') : roleName(entry.role)}
              </span>
            </span>
            {busy === entry.name ? (
              <Spinner className="size-4 text-muted" />
            ) : (
              entry.name === organization?.name && (
                <Check size={16} strokeWidth={1.75} className="shrink-0 text-brand-text" aria-hidden="true" />
              )
            )}
          </button>
        ))}
      </div>
      {found.length === 0 && (
        <output className="block px-3 pb-3 text-table text-muted">{words('shell.organization_not_found')}</output>
      )}
      <div className="border-t border-hairline p-1">
        <Link
          to="/organization/create"
          onClick={onDone}
          className="flex h-8 items-center gap-2 rounded-ctl px-2 text-table font-medium hover:bg-hover max-md:h-11"
        >
          <Plus size={16} strokeWidth={1.75} className="text-muted" aria-hidden="true" />
          {words('shell.create_organization')}
        </Link>
      </div>
    </>
  )
}
