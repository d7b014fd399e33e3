import { useEffect, useRef } from 'react'
import type { Connection } from '#shared/doctypes/connection.ts'
import type { ConnectionName } from '#shared/doctypes/connections.ts'
import { EditFields } from '#web/documents/form/edit-form.tsx'
import { DocForm, FormFailure } from '#web/documents/form/form.tsx'
import { NavigationBlocker } from '#web/documents/form/unsaved-changes-blocker.tsx'
import { ConflictNotice } from '#web/documents/form/save-bar.tsx'
import { useDoc } from '#web/lib/api/frappe.tsx'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { Button } from '#web/ui/button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { tConnection } from './connection-messages.ts'
import { ConnectionProblem } from './connection-problem.tsx'
import { formFields } from './connections.ts'
import { useConnectionForm, type EditedConnection } from './use-connection-form.ts'

const hinted = [
  'label',
  'bucket_region',
  'bucket_endpoint',
  'bucket_price',
  'bot_github_teams',
  'bot_github_name',
  'github_webhook_secret',
  'slack_webhook_url',
  'slack_channel',
] as const

/** Fields shown side by side if there is space. */
const pairs = [
  ['bucket_name', 'bucket_region'],
  ['bucket_access_key', 'bucket_secret_key'],
  ['bucket_price', 'bucket_price_currency'],
  ['bot_github_name', 'bot_github_email'],
  ['aws_access_key', 'aws_secret_key'],
] as const

/** Fields in rows. Stored secrets need the full width of a narrow card for their text. */
function rowsOf(fields: readonly string[], isStored: boolean): string[][] {
  const rows: string[][] = []
  for (const field of fields) {
    const pair = pairs.find((one) => one[1] === field)
    const row = rows.at(-1)
    if (pair && row?.at(-1) === pair[0] && !(isStored && field === 'aws_secret_key')) row.push(field)
    else rows.push([field])
  }
  return rows
}

/** Labels, hints and entry time of the fields. */
function fieldOptions(fields: readonly string[], setAt: string | null) {
  return Object.fromEntries(
    fields.map((field) => {
      const hint = hinted.find((one) => one === field)
      return [
        field,
        {
          label: tConnection(`field.${field}` as Parameters<typeof tConnection>[0]),
          ...(hint && { hint: tConnection(`hint.${hint}`) }),
          removable: false,
          ...(setAt && { since: formatDay(setAt) }),
        },
      ]
    }),
  )
}

/** Changes a stored connection. */
export function EditConnection({ stored, ...props }: Omit<FormProps, 'connection'> & { stored: string }) {
  const { data, error, reload } = useDoc('Connection', stored)
  if (data) return <ConnectionForm {...props} connection={data} />
  if (error) return <ErrorPanel title={tConnection('form.failed')} error={error} onRetry={() => void reload()} />
  return <Skeleton className="h-24 w-full" />
}

interface FormProps {
  readonly organization: string
  readonly name: ConnectionName
  readonly connection: Connection | null
  /** Ends the form without or after saving. Absent: it stays, and is empty again. */
  readonly onClose?: () => void
}

/** The form of a connection: tests what was entered before it is saved. The first of a service needs no label. */
export function ConnectionForm({ onClose, ...edited }: FormProps & EditedConnection) {
  const { name, connection } = edited
  const fields = onClose ? ['label', ...formFields[name]] : formFields[name]
  const { control, rejected, testing, saveAnyway } = useConnectionForm(edited, fields, () => onClose?.())
  const form = useRef<HTMLDivElement>(null)
  const wasOpened = onClose !== undefined
  useEffect(() => {
    if (wasOpened) form.current?.querySelector('input')?.focus()
  }, [wasOpened])
  const cancel = () => {
    control.reset()
    onClose?.()
  }
  return (
    <div ref={form}>
      <DocForm
        control={control}
        label={tConnection(connection ? 'form.edit' : 'form.new', {
          name: connection?.label ?? tConnection(`name.${name}`),
        })}
        className="grid gap-4"
      >
        {rejected ? <ConnectionProblem check={rejected} /> : null}
        {rowsOf(fields, connection !== null).map((row) => (
          <div key={row.join(' ')} className={row.length > 1 ? 'grid gap-4 md:grid-cols-2' : 'grid gap-4'}>
            <EditFields control={control} names={row} fields={fieldOptions(row, connection?.set_at ?? null)} />
          </div>
        ))}
        <FormFailure control={control} />
        {control.conflicts.length > 0 ? <ConflictNotice control={control} /> : null}
        <div className="flex flex-wrap items-center gap-2">
          <span role="status" className="min-w-0 flex-1 basis-32 text-table text-muted">
            {testing ? tConnection('card.testing') : connection ? null : tConnection('card.never')}
          </span>
          {control.dirty || onClose ? (
            <>
              <Button size="md" variant="ghost" onClick={cancel}>
                {tConnection(onClose ? 'card.cancel' : 'card.discard')}
              </Button>
              {rejected ? (
                <Button size="md" onClick={() => void saveAnyway()}>
                  {tConnection('card.save_anyway')}
                </Button>
              ) : null}
              <Button size="md" type="submit" variant="primary" busy={control.busy}>
                {tConnection('card.save')}
              </Button>
            </>
          ) : null}
        </div>
      </DocForm>
      <NavigationBlocker when={control.dirty} onLeave={control.reset} />
    </div>
  )
}
