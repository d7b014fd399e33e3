import { ServerDoctype } from '#shared/doctypes/server.ts'
import type { FormControl } from '#web/documents/form/use-form.ts'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Flag } from '#web/ui/images/flag.tsx'
import { ServerMark } from '../server-mark.tsx'
import { t } from './messages.ts'
import type { ChosenServer } from './server-summary.tsx'

/** What the first step decided, with the way back to it. */
export function ChosenCard({ control, chosen }: { control: FormControl; chosen: ChosenServer }) {
  const { hostname, public_ipv4, server_category } = control.values
  const { provider, country, region } = chosen
  const parts = [
    valueLabel(ServerDoctype, 'cloud_provider', provider),
    provider === 'Custom' ? String(public_ipv4) : region,
    valueLabel(ServerDoctype, 'server_category', String(server_category)),
  ]
  return (
    <Card className="flex items-center gap-3 px-4 py-3">
      <ServerMark provider={provider} className="size-8" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold wrap-anywhere" translate="no">
          {hostname}
        </p>
        <p className="text-table text-muted">
          {provider === 'Custom' ? null : (
            <span className="mr-1.5">
              <Flag code={country} />
            </span>
          )}
          {parts.join(' · ')}
        </p>
      </div>
      <ButtonLink to={{ hash: '#general-info' }} size="md">
        {t('create.change')}
      </ButtonLink>
    </Card>
  )
}
