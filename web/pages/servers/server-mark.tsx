import { Terminal } from 'lucide-react'
import type { ConnectionName } from '#shared/doctypes/connections.ts'
import type { Server } from '#shared/doctypes/server.ts'
import { ProviderMark } from '#web/features/servers/provider-mark.tsx'
import { cx } from '#web/lib/browser/cx.ts'

type Provider = NonNullable<Server['cloud_provider']>

/** Connection of a provider, which has the icon. */
const connectionOf: Readonly<Record<Exclude<Provider, 'Custom'>, ConnectionName>> = {
  Hetzner: 'hetzner',
  AWS: 'aws',
  DigitalOcean: 'digitalocean',
}

/** Icon of a provider; of servers without one, a terminal. */
export function ServerMark({
  provider,
  className = 'size-6',
}: {
  provider: Provider | null | undefined
  className?: string
}) {
  if (provider && provider !== 'Custom') return <ProviderMark name={connectionOf[provider]} className={className} />
  return (
    <span
      className={cx(
        'grid flex-none place-items-center rounded-ctl border border-border bg-sunken text-muted',
        className,
      )}
    >
      <Terminal strokeWidth={1.75} aria-hidden="true" className="size-[58%]" />
    </span>
  )
}
