import { ProviderMark } from '#web/features/servers/provider-mark.tsx'
import { useState, type ReactNode } from 'react'
import type { ConnectionName } from '#shared/doctypes/connections.ts'
import type { Organization } from '#shared/doctypes/organization.ts'
import { EditFields } from '#web/documents/form/edit-form.tsx'
import { DocForm } from '#web/documents/form/form.tsx'
import { NavigationBlocker } from '#web/documents/form/unsaved-changes-blocker.tsx'
import { ConflictNotice } from '#web/documents/form/save-bar.tsx'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { LocalizedText } from '#web/lib/i18n/localized-text.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { StatusPill } from '#web/ui/status.tsx'
import { Time } from '#web/ui/time.tsx'
import { vendorDocs } from './connection-help.ts'
import { tConnection } from './connection-messages.ts'
import { cardFields, stateOf, stateTones, type ConnectionState } from './connections.ts'
import { RemoveConnection } from './remove-connection.tsx'
import { useConnectionCard, type ConnectionCard as Control } from './use-connection-card.ts'

const hinted = ['bucket_region', 'bucket_endpoint', 'bot_github_teams', 'bot_github_name', 'slack_channel'] as const

/** Fields shown side by side if there is space. */
const pairs = [
  ['bucket_name', 'bucket_region'],
  ['bucket_access_key', 'bucket_secret_key'],
  ['bot_github_name', 'bot_github_email'],
  ['aws_access_key', 'aws_secret_key'],
] as const

/** A card's fields in rows. Stored secrets need the full width of a narrow card for their text. */
function rowsOf(name: ConnectionName, state: ConnectionState): string[][] {
  const rows: string[][] = []
  for (const field of cardFields[name]) {
    const pair = pairs.find((one) => one[1] === field)
    const row = rows.at(-1)
    if (pair && row?.at(-1) === pair[0] && (name !== 'aws' || state === 'none')) row.push(field)
    else rows.push([field])
  }
  return rows
}

/** Labels, hints and entry time of a connection's fields. */
function fieldOptions(organization: Organization, name: ConnectionName) {
  const at = organization.connections?.[name]?.set_at
  return Object.fromEntries(
    cardFields[name].map((field) => {
      const hint = hinted.find((one) => one === field)
      return [
        field,
        {
          label: tConnection(`field.${field}` as Parameters<typeof tConnection>[0]),
          ...(hint && { hint: tConnection(`hint.${hint}`) }),
          removable: false,
          ...(at && { since: formatDay(at) }),
        },
      ]
    }),
  )
}

/** A connection: status, credentials, and their test. */
export function ConnectionCard({
  organization,
  name,
  servers,
  advice,
}: {
  organization: Organization
  name: ConnectionName
  /** Number of its servers; null if not applicable. */
  servers?: number | null
  /** Shown next to the link to the vendor's docs, while nothing is connected or the key doesn't work. */
  advice?: ReactNode
}) {
  const card = useConnectionCard(organization, name)
  const { control, rejected } = card
  const vendor = tConnection(`name.${name}`)
  const state = stateOf(organization, name)
  const check = organization.connections?.[name]?.check
  const docs = (
    <a href={vendorDocs[name]} target="_blank" rel="noreferrer" className="link">
      {tConnection('card.docs')}
    </a>
  )
  const problem = rejected ?? (check && state !== 'none' && check.outcome !== 'ok' ? check : null)
  return (
    <Card aria-label={vendor} className="flex flex-col">
      <div className="flex items-center gap-3 px-4 pt-4 pb-3">
        <ProviderMark name={name} />
        <div className="min-w-0 flex-1">
          <h2>{vendor}</h2>
          {servers === undefined || servers === null ? null : (
            <p className="text-table text-muted">
              {servers > 0 ? tConnection('card.servers', { count: servers }) : tConnection('card.no_servers')}
            </p>
          )}
        </div>
        <StatePill state={state} />
      </div>
      <DocForm control={control} label={tConnection('card.form', { name: vendor })} className="flex flex-1 flex-col">
        <div className="grid flex-1 content-start gap-4 px-4 pb-4">
          {problem ? (
            <Notice
              tone={stateTones[problem.outcome] === 'warn' ? 'warn' : 'bad'}
              title={<LocalizedText text={problem.message} i18n={problem.message_i18n} />}
            >
              {problem.advice ? <LocalizedText text={problem.advice} i18n={problem.advice_i18n} /> : null}
            </Notice>
          ) : check?.outcome === 'ok' && state === 'ok' ? (
            <p className="text-table text-muted">
              <LocalizedText text={check.message} i18n={check.message_i18n} />
            </p>
          ) : null}
          {state === 'none' ? (
            <p className="text-table text-muted">
              {tConnection(`hint.${name}`)} {advice ? <>{advice} · </> : null}
              {docs}
            </p>
          ) : problem ? (
            // A rejected key has to be created again.
            <p className="text-table">
              {advice ? <>{advice} · </> : null}
              {docs}
            </p>
          ) : null}
          {rowsOf(name, state).map((row) => (
            <div key={row.join(' ')} className={row.length > 1 ? 'grid gap-4 md:grid-cols-2' : 'grid gap-4'}>
              <EditFields control={control} names={row} fields={fieldOptions(organization, name)} />
            </div>
          ))}
          {control.failure ? <Notice tone="bad">{control.failure}</Notice> : null}
          {control.conflicts.length > 0 ? <ConflictNotice control={control} /> : null}
        </div>
        <Foot organization={organization} name={name} card={card} state={state} servers={servers ?? 0} />
      </DocForm>
      <NavigationBlocker when={control.dirty} onLeave={control.reset} />
    </Card>
  )
}

function StatePill({ state }: { state: ConnectionState }) {
  return (
    <StatusPill inset tone={stateTones[state]}>
      {tConnection(`state.${state}`)}
    </StatusPill>
  )
}

function Foot({
  organization,
  name,
  card,
  state,
  servers,
}: {
  organization: Organization
  name: ConnectionName
  card: Control
  state: ConnectionState
  servers: number
}) {
  const { control, rejected, testing } = card
  const [removing, setRemoving] = useState(false)
  const vendor = tConnection(`name.${name}`)
  const checkedAt = organization.connections?.[name]?.check?.checked_at
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-hairline px-4 py-3">
      <span role="status" className="min-w-0 flex-1 basis-32 text-table text-muted">
        {testing ? (
          tConnection('card.testing')
        ) : checkedAt && state !== 'none' ? (
          <TestedAt value={checkedAt} />
        ) : (
          tConnection('card.never')
        )}
      </span>
      {control.dirty ? (
        <>
          <Button size="md" variant="ghost" onClick={control.reset}>
            {tConnection('card.discard')}
          </Button>
          {rejected ? (
            <Button size="md" onClick={() => void card.saveAnyway()}>
              {tConnection('card.save_anyway')}
            </Button>
          ) : null}
          <Button size="md" type="submit" variant="primary" busy={control.busy}>
            {tConnection('card.save')}
          </Button>
        </>
      ) : state === 'none' ? null : (
        <>
          <Button
            size="md"
            variant="ghost"
            aria-label={tConnection('card.remove_of', { name: vendor })}
            onClick={() => setRemoving(true)}
          >
            {tConnection('card.remove')}
          </Button>
          <Button
            size="md"
            busy={testing}
            aria-label={tConnection('card.test_of', { name: vendor })}
            onClick={() => void card.test()}
          >
            {tConnection('card.test')}
          </Button>
        </>
      )}
      {removing ? (
        <RemoveConnection
          organization={organization.name}
          name={name}
          servers={servers}
          onClose={() => setRemoving(false)}
        />
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
