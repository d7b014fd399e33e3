import { ServerDoctype, type Server, type ServerDrift } from '#shared/doctypes/server.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { t } from './messages.ts'

const labels = {
  vm_type: 'server.plan',
  public_ipv4: 'server.ipv4',
  public_ipv6: 'server.ipv6',
} as const satisfies Record<keyof ServerDrift, string>

/** What was changed at a server's provider, and the way to take it over. */
export function ServerDriftNotice({ server }: { server: Server }) {
  const { drift, cloud_provider } = server
  if (!drift) return null
  const changed = (Object.keys(labels) as (keyof ServerDrift)[]).filter((name) => drift[name] !== undefined)
  return (
    <Notice tone="warn" title={t('server.drift', { provider: cloud_provider ?? '' })} className="mb-4">
      <ul className="mt-0.5 grid gap-1">
        {changed.map((name) => (
          <li key={name}>
            {t('server.drift_of', {
              what: t(labels[name]),
              here: server[name] ?? t('server.drift_none'),
              there: drift[name] ?? '',
            })}
          </li>
        ))}
      </ul>
      <div className="mt-3">
        <ActionButton
          type={ServerDoctype}
          doc={{ ...server, doctype: 'Server' }}
          name="refresh_facts"
          label={t('server.drift_resync')}
        />
      </div>
    </Notice>
  )
}
