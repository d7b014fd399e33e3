import { MoreHorizontal, Star, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { OrphanMachine } from '#shared/doctypes/connection.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { updateDoc } from '#web/lib/api/api.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { LocalizedText } from '#web/lib/i18n/localized-text.tsx'
import { Button } from '#web/ui/button.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Menu, MenuItem } from '#web/ui/overlay/menu.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { StatusPill } from '#web/ui/status.tsx'
import { Time } from '#web/ui/time.tsx'
import { tConnection } from './connection-messages.ts'
import { ConnectionProblem } from './connection-problem.tsx'
import { refetchConnections, stateOf, stateTones, type ListedConnection } from './connections.ts'
import { RemoveConnection } from './remove-connection.tsx'
import { testStored } from './use-connection-form.ts'

interface ItemProps {
  readonly organization: string
  readonly connection: ListedConnection
  /** Number of servers that use it; null if none can. */
  readonly servers: number | null
  /** Link to the vendor's documentation of keys, shown while the key doesn't work. */
  readonly docs: ReactNode
  /** The button "Edit" gets the focus back from the form. */
  readonly returned: boolean
  readonly onEdit: () => void
  /** The form while it is open, in place of the buttons. */
  readonly form: ReactNode
}

/** A connection: status, last test, what uses it, and what can be done with it. */
export function ConnectionItem({ organization, connection, servers, docs, returned, onEdit, form }: ItemProps) {
  const { label, message, message_i18n, advice, advice_i18n } = connection
  const state = stateOf(connection)
  return (
    <li aria-label={label} className="grid gap-3 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h3 className="min-w-0 font-medium wrap-anywhere">{label}</h3>
        {connection.is_default === 1 ? <Tag tone="brand">{tConnection('card.default')}</Tag> : null}
        <span className="ml-auto">
          <StatusPill inset tone={stateTones[state]}>
            {tConnection(`state.${state}`)}
          </StatusPill>
        </span>
      </div>
      {state === 'ok' ? (
        <p className="text-table text-muted">
          <LocalizedText text={message} i18n={message_i18n} />{' '}
          {advice ? <LocalizedText text={advice} i18n={advice_i18n} /> : null}
        </p>
      ) : state === 'untested' ? null : (
        <>
          <ConnectionProblem check={connection} />
          {/* A rejected key has to be created again. */}
          <p className="text-table">{docs}</p>
        </>
      )}
      <Orphans orphans={connection.orphans ?? []} />
      {form ?? (
        <Foot
          organization={organization}
          connection={connection}
          servers={servers}
          returned={returned}
          onEdit={onEdit}
        />
      )}
    </li>
  )
}

function Orphans({ orphans }: { orphans: readonly OrphanMachine[] }) {
  if (orphans.length === 0) return null
  return (
    <Notice tone="warn" title={tConnection('card.orphans')}>
      <ul className="grid gap-1.5">
        {orphans.map(({ id, name, type, region, price, deleted }) => (
          <li key={id}>
            {price === null
              ? tConnection('card.orphan_unpriced', { name, type, region })
              : tConnection('card.orphan', { name, type, region, price })}
            <span className="block text-muted">
              {tConnection(deleted ? 'card.orphan_deleted' : 'card.orphan_kept')}
            </span>
          </li>
        ))}
      </ul>
    </Notice>
  )
}

function Foot({
  organization,
  connection,
  servers,
  returned,
  onEdit,
}: Pick<ItemProps, 'organization' | 'connection' | 'servers' | 'returned' | 'onEdit'>) {
  const { name, label, checked_at, is_default } = connection
  const [testing, setTesting] = useState(false)
  const [removing, setRemoving] = useState(false)
  const isUsed = servers !== null && servers > 0

  async function test(): Promise<void> {
    setTesting(true)
    await testStored(organization, name)
    setTesting(false)
  }

  async function makeDefault(): Promise<void> {
    try {
      await updateDoc('Connection', name, { is_default: 1 })
      showToast({ title: tConnection('card.default_changed', { name: label }), variant: 'success' })
    } catch (error) {
      const description = fullMessage(toApiError(error))
      showToast({ title: tConnection('card.default_failed'), description, variant: 'danger' })
    }
    await refetchConnections(organization)
  }

  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="min-w-0 flex-1 basis-40 text-table text-muted">
        {servers === null ? null : <span className="block">{tConnection('card.used', { count: servers })}</span>}
        <span role="status">
          {testing ? (
            tConnection('card.testing')
          ) : checked_at ? (
            <TestedAt value={checked_at} />
          ) : (
            tConnection('card.never')
          )}
        </span>
      </span>
      <Button
        size="md"
        variant="ghost"
        autoFocus={returned}
        aria-label={tConnection('card.edit_of', { name: label })}
        onClick={onEdit}
      >
        {tConnection('card.edit')}
      </Button>
      <Button
        size="md"
        busy={testing}
        aria-label={tConnection('card.test_of', { name: label })}
        onClick={() => void test()}
      >
        {tConnection('card.test')}
      </Button>
      <Menu
        trigger={
          <IconButton size="md" label={tConnection('card.more', { name: label })}>
            <MoreHorizontal size={16} strokeWidth={1.75} />
          </IconButton>
        }
      >
        {is_default === 1 ? null : (
          <MenuItem icon={<Star size={16} strokeWidth={1.75} />} onSelect={() => void makeDefault()}>
            {tConnection('card.make_default')}
          </MenuItem>
        )}
        <MenuItem
          danger
          icon={<Trash2 size={16} strokeWidth={1.75} />}
          reason={isUsed ? tConnection('card.used', { count: servers }) : null}
          onSelect={() => setRemoving(true)}
        >
          {tConnection('card.remove')}
        </MenuItem>
      </Menu>
      {removing ? (
        <RemoveConnection organization={organization} connection={connection} onClose={() => setRemoving(false)} />
      ) : null}
    </div>
  )
}

function TestedAt({ value }: { value: string }) {
  const [before, after] = tConnection('card.tested', { when: '\0' }).split('\0')
  return (
    <>
      {before}
      <Time variant="standalone" value={value} />
      {after}
    </>
  )
}
