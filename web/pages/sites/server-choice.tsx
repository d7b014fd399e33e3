import type { Server } from '#shared/doctypes/server.ts'
import { formatBytes, formatPercent } from '#web/lib/i18n/format.ts'
import { parseTime } from '#web/lib/i18n/format-day.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { canCreateServers } from '#web/features/servers/can-create-servers.ts'
import { serverLocation } from '#web/features/servers/server-location.tsx'
import { CreateButton } from '#web/documents/form/create-button.tsx'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { useFailureToast } from '#web/lib/api/use-failure-toast.ts'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { tChoice } from './choice-messages.ts'
import { useServerFacts, type EligibleServers, type ServerFacts } from './eligible-servers.ts'
import { t } from './messages.ts'
import { ServerSearch } from './server-search.tsx'

/** Choice of an eligible server: a radio group that looks like a table. */
export function ServerChoice({
  servers,
  value,
  error,
  onChange,
}: {
  servers: EligibleServers
  value: string
  error: string | undefined
  onChange: (name: string) => void
}) {
  const { found, shown, chosen, text } = servers
  const facts = useServerFacts(shown.map((server) => server.value))
  useFailureToast(t('create.servers_error'), found.error)
  if (found.error && !found.data)
    return <ErrorPanel title={t('create.servers_error')} error={found.error} onRetry={() => found.reload()} />
  if (!found.data)
    return (
      <div
        aria-busy="true"
        aria-hidden="true"
        className="grid h-11 items-center rounded-card border border-border bg-surface px-4"
      >
        <Skeleton className="h-3 w-48" />
      </div>
    )
  if (shown.length === 0 && text === '') return <NoServer />
  return (
    <div className="grid gap-2">
      <ServerSearch servers={servers} />
      <fieldset className="min-w-0 divide-y divide-hairline rounded-card border border-border bg-surface shadow-xs">
        <legend className="sr-only">{t('create.servers')}</legend>
        {shown.map((server) => (
          <label
            key={server.value}
            className="flex min-h-11 cursor-pointer items-center gap-3 px-4 py-2 text-table has-checked:bg-[color-mix(in_oklab,var(--brand-bg)_60%,var(--surface))] has-checked:shadow-[inset_2px_0_var(--brand)] has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-ring"
          >
            <input
              type="radio"
              name="server"
              value={server.value}
              checked={server.value === value}
              onChange={() => onChange(server.value)}
              className="size-4 flex-none appearance-none rounded-full border border-input bg-surface outline-none checked:border-[5px] checked:border-brand checked:bg-on-brand"
            />
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">
                {server.label ?? server.value}
                {server.value === value && chosen?.engine === 'local' ? (
                  <span className="ml-2 font-normal text-muted">{t('create.this_machine')}</span>
                ) : null}
              </span>
              <Facts facts={facts.get(server.value)} />
            </span>
            <Category of={server.value === value && chosen ? chosen : facts.get(server.value)} />
          </label>
        ))}
        {shown.length === 0 ? <p className="px-4 py-3 text-table text-muted">{t('create.no_match')}</p> : null}
      </fieldset>
      {error ? (
        <p role="alert" className="text-meta text-bad">
          {error}
        </p>
      ) : null}
    </div>
  )
}

/** No server can take a site: who can do something about it, and how. */
function NoServer() {
  const session = useSession()
  const canCreate = canCreateServers(session)
  return (
    <div className="rounded-card border border-border bg-surface">
      <EmptyState
        title={tChoice('choice.no_server_title')}
        action={
          canCreate ? (
            <CreateButton to="/server/create" plain>
              {tChoice('choice.no_server_button')}
            </CreateButton>
          ) : undefined
        }
      >
        {tChoice(
          canCreate ? 'choice.no_server_create' : session.modules.ee ? 'choice.no_server_ask' : 'choice.no_server',
        )}
      </EmptyState>
    </div>
  )
}

/** Category of a server, once it is known. */
function Category({ of }: { of: Partial<Pick<Server, 'server_category'>> | undefined }) {
  if (!of?.server_category) return null
  return <span className="text-muted">{valueLabel(ServerDoctype, 'server_category', of.server_category)}</span>
}

/** Samples come every five minutes; one that is older than this, in milliseconds, says nothing about now. */
const staleMs = 900_000

/** Whose a server is, where, how busy, and how much room it has left, as far as that is known. */
function Facts({ facts }: { facts: ServerFacts | undefined }) {
  const now = useNow(60_000)
  if (!facts) return null
  const { cloud_provider: provider, cpu_percent: load, disk_free: free } = facts
  const measured = parseTime(facts.metrics_at)
  const isFresh = measured !== null && now - measured.getTime() <= staleMs
  const known = [
    provider ? valueLabel(ServerDoctype, 'cloud_provider', provider) : null,
    serverLocation(facts),
    isFresh && typeof load === 'number' ? t('create.server_load', { percent: formatPercent(load) }) : null,
    free ? t('create.server_free', { size: formatBytes(free) }) : null,
  ].filter((one) => one !== null)
  return (
    <span className="flex flex-wrap gap-x-3 text-meta text-muted">
      {known.map((one, at) => (
        <span key={at}>{one}</span>
      ))}
    </span>
  )
}
