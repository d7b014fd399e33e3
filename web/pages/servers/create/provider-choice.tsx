import type { ReactNode } from 'react'
import { cloudProviders, ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import type { FormControl } from '#web/documents/form/use-form.ts'
import { valueLabel } from '#web/documents/query/list-query.ts'
import type { Loaded } from '#web/lib/api/frappe.tsx'
import { RadioCard, RadioCards } from '#web/ui/form/radio-card.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import { ServerMark } from '../server-mark.tsx'
import { AccountChoice } from './account-choice.tsx'
import { connectionState } from './connection-state.ts'
import { Legend } from './legend.tsx'
import { t } from './messages.ts'
import { accountsAt, type ConnectionRow } from './use-connections.ts'

type Provider = NonNullable<Server['cloud_provider']>

/** The order of the cards: machines of one's own come last. */
const shown: readonly Provider[] = [
  'Hetzner',
  'DigitalOcean',
  'AWS',
  ...cloudProviders.filter((name) => name === 'Custom'),
]

/** Where the machine comes from, and the account there. */
export function ProviderChoice({
  control,
  connections,
}: {
  control: FormControl
  connections: Loaded<ConnectionRow[]>
}) {
  const { values, set } = control
  const chosen = shown.find((provider) => provider === values['cloud_provider']) ?? 'Custom'
  const choose = (provider: Provider): void => {
    set('cloud_provider', provider)
    // What another vendor has.
    for (const name of ['connection', 'vm_country', 'vm_region', 'vm_type']) set(name, '')
  }
  return (
    <div className="grid gap-3">
      <RadioCards
        legend={<Legend>{t('create.provider')}</Legend>}
        className="grid-cols-4 gap-2! max-md:grid-cols-2"
        error={control.errors['cloud_provider'] ?? null}
      >
        {shown.map((provider) => (
          <RadioCard
            key={provider}
            plain
            name="cloud_provider"
            value={provider}
            icon={<ServerMark provider={provider} className="size-8" />}
            title={valueLabel(ServerDoctype, 'cloud_provider', provider)}
            description={<ProviderState provider={provider} connections={connections} />}
            checked={provider === chosen}
            onChange={() => choose(provider)}
            className="items-center"
          />
        ))}
      </RadioCards>
      {chosen === 'Custom' ? null : (
        <AccountChoice key={chosen} control={control} vendor={chosen} connections={connections} />
      )}
    </div>
  )
}

/** Whether the organization has an account there that works; of several, what holds for the best. */
function ProviderState({
  provider,
  connections,
}: {
  provider: Provider
  connections: Loaded<ConnectionRow[]>
}): ReactNode {
  if (provider === 'Custom') return t('create.your_machine')
  const rows = accountsAt(provider, connections.data)
  if (!rows) return connections.error ? null : <Skeleton className="h-3 w-16" />
  const best = rows.find(({ status }) => status === 'Connected') ?? rows[0]
  if (!best)
    return <span className="text-brand-text">{t(provider === 'AWS' ? 'create.add_key' : 'create.add_token')}</span>
  const { label, tone } = connectionState(best)
  return (
    <span className="flex items-center gap-1">
      <StatusIcon tone={tone} size={12} />
      <span className={tone === 'bad' ? 'text-bad' : undefined}>{label}</span>
    </span>
  )
}
