import { useEffect, useEffectEvent, useState } from 'react'
import type { FormControl } from '#web/documents/form/use-form.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import type { Loaded } from '#web/lib/api/frappe.tsx'
import { Button } from '#web/ui/button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StatusPill } from '#web/ui/status.tsx'
import { Time } from '#web/ui/time.tsx'
import { ConnectionForm } from './connection-form.tsx'
import { connectionState } from './connection-state.ts'
import { t } from './messages.ts'
import { accountsAt, testConnection, type ConnectionRow, type Vendor } from './use-connections.ts'

/** The account that pays for the server: chosen among those of the vendor, tested, or added here. */
export function AccountChoice({
  control,
  vendor,
  connections,
}: {
  control: FormControl
  vendor: Vendor
  connections: Loaded<ConnectionRow[]>
}) {
  const { preset } = control
  /** The account whose credentials are being entered, `new` for another one; null: none. */
  const [editing, setEditing] = useState<string | null>(null)
  const rows = accountsAt(vendor, connections.data)
  const chosen = rows?.find(({ name }) => name === control.values['connection'])
  const first = rows?.[0]?.name ?? ''
  const choose = useEffectEvent((name: string) => preset('connection', name))
  const isMissing = rows !== undefined && chosen === undefined
  useEffect(() => {
    // The default one, unless another is chosen. That of a draft may not exist anymore.
    if (isMissing) choose(first)
  }, [isMissing, first])

  if (connections.error && !rows)
    return (
      <ErrorPanel title={t('create.accounts_error')} error={connections.error} onRetry={() => connections.reload()} />
    )
  if (!rows) return <Skeleton className="h-16 w-full rounded-card" />
  const isEntering = editing !== null || rows.length === 0
  return (
    <div className="grid gap-3 rounded-card border border-border bg-surface p-4 shadow-xs">
      {!isEntering && chosen ? (
        <Account
          rows={rows}
          chosen={chosen}
          onChoose={(name) => control.set('connection', name)}
          onTested={() => connections.reload()}
          onEdit={setEditing}
        />
      ) : null}
      {isEntering ? (
        <ConnectionForm
          vendor={vendor}
          connection={rows.find(({ name }) => name === editing) ?? null}
          onStored={async (name) => {
            setEditing(name)
            await connections.reload()
          }}
          onConnected={(name) => {
            setEditing(null)
            control.set('connection', name)
          }}
          onCancel={rows.length === 0 ? undefined : () => setEditing(null)}
        />
      ) : null}
      {control.errors['connection'] ? (
        <p role="alert" className="text-meta text-bad">
          {control.errors['connection']}
        </p>
      ) : null}
    </div>
  )
}

/** The chosen account, what its last test said, and the test. */
function Account({
  rows,
  chosen,
  onChoose,
  onTested,
  onEdit,
}: {
  rows: readonly ConnectionRow[]
  chosen: ConnectionRow
  onChoose: (name: string) => void
  onTested: () => Promise<void>
  onEdit: (name: string) => void
}) {
  const [testing, setTesting] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const { label, tone } = connectionState(chosen)
  const name = chosen.label ?? chosen.name
  const test = async (): Promise<void> => {
    setTesting(true)
    setFailure(null)
    try {
      await testConnection(chosen.name)
    } catch (error) {
      setFailure(fullMessage(toApiError(error)))
    } finally {
      await onTested()
      setTesting(false)
    }
  }
  const problem = failure ?? (chosen.status === 'Failed' ? (chosen.message ?? t('create.test_failed')) : null)
  return (
    <>
      <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
        {rows.length > 1 ? (
          <Field label={t('create.account')} className="min-w-0 flex-[1_1_200px] max-md:basis-full">
            <Select name="connection" value={chosen.name} onChange={(event) => onChoose(event.target.value)}>
              {rows.map((row) => (
                <option key={row.name} value={row.name} translate="no">
                  {row.label}
                </option>
              ))}
            </Select>
          </Field>
        ) : (
          <div className="grid min-w-0 flex-[1_1_200px] gap-0.5 max-md:basis-full">
            <span className="text-table font-medium">{t('create.account')}</span>
            <span className="truncate" translate="no">
              {name}
            </span>
          </div>
        )}
        <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 text-table" role="status">
          {testing ? (
            <StatusPill tone="info" busy inset>
              {t('create.testing')}
            </StatusPill>
          ) : (
            <>
              <StatusPill tone={tone} inset>
                {label}
              </StatusPill>
              <Time
                value={chosen.checked_at}
                format={(when) => t('create.tested', { when })}
                className="text-muted max-md:hidden"
              />
            </>
          )}
        </div>
        <Button
          size="md"
          busy={testing}
          aria-label={t('create.test_of', { account: name })}
          onClick={() => void test()}
          className="mb-0.5 ml-auto"
        >
          {t('create.test')}
        </Button>
      </div>
      {problem === null || testing ? null : <Notice tone="bad">{problem}</Notice>}
      <div className="-mb-1 flex flex-wrap gap-x-4 gap-y-1 text-table">
        {chosen.status === 'Failed' ? (
          <button type="button" className="link" onClick={() => onEdit(chosen.name)}>
            {t('create.replace')}
          </button>
        ) : null}
        <button type="button" className="link" onClick={() => onEdit('new')}>
          {t('create.add_account')}
        </button>
      </div>
    </>
  )
}
