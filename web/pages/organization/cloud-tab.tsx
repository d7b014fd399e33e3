import type { ReactNode } from 'react'
import type { Organization } from '#shared/doctypes/organization.ts'
import { copyText } from '#web/lib/browser/copy-text.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { SummaryCards } from '#web/ui/summary-cards.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { CopyField } from '#web/ui/copy-button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { ConnectionCard } from './connection-card.tsx'
import { awsPolicy } from '#web/features/servers/connection-help.ts'
import { tConnection } from './connection-messages.ts'
import { cloudConnections, connectionsOf, connectionSummary } from './connections.ts'
import { useInstallation } from '#web/features/organizations/use-installation.ts'
import { WithConnections } from './with-connections.tsx'

/** Number of servers by connection; null while loading. */
function useServersByConnection(): Readonly<Record<string, number>> | null {
  const list = useList('Server', {
    fields: ['connection', 'count(name) as n'],
    filters: [['connection', 'is', 'set']],
    group_by: 'connection',
    limit: 0,
  })
  return list.data ? Object.fromEntries(list.data.map((row) => [row.connection ?? '', Number(row.n)])) : null
}

async function copy(text: string): Promise<void> {
  if (await copyText(text)) showToast({ title: tConnection('copied'), variant: 'success' })
}

/** The cloud providers of servers and managed sites, one card each. */
export function CloudTab({ organization, wpc }: { organization: Organization; wpc: boolean }) {
  const servers = useServersByConnection()
  const names = cloudConnections.filter((name) => name !== 'wpc' || wpc)
  const there = servers && Object.values(servers).reduce((sum, count) => sum + count, 0)
  const advice: Partial<Record<string, ReactNode>> = {
    aws: (
      <button type="button" className="link" onClick={() => void copy(awsPolicy)}>
        {tConnection('card.copy_policy')}
      </button>
    ),
  }
  return (
    <>
      <WithConnections>
        {(connections) => (
          <>
            <SummaryCards items={connectionSummary(connections, names, there)} />
            <div className="grid items-start gap-4 lg:grid-cols-2">
              {names.map((name) => (
                <ConnectionCard
                  key={name}
                  organization={organization.name}
                  name={name}
                  connections={connectionsOf(connections, name)}
                  servers={name === 'wpc' ? null : servers}
                  advice={advice[name]}
                />
              ))}
            </div>
          </>
        )}
      </WithConnections>
      <AddressesCard />
    </>
  )
}

/** The installation's outgoing IP addresses, for allowlists. Its operator may name none. */
function AddressesCard() {
  const installation = useInstallation()
  const addresses = installation.data?.egress_ips
  if (!installation.error && !addresses?.length) return null
  return (
    <Card className="mt-4">
      <CardHead
        title={tConnection('allow.title')}
        subtitle={<span className="max-md:hidden">{tConnection('allow.text')}</span>}
      >
        {addresses && addresses.length > 1 ? (
          <Button size="sm" onClick={() => void copy(addresses.join('\n'))}>
            {tConnection('allow.copy_all')}
          </Button>
        ) : null}
      </CardHead>
      <CardBody>
        {installation.error && !addresses ? (
          <ErrorPanel
            className="flex items-start gap-3"
            title={tConnection('allow.failed')}
            error={installation.error}
            onRetry={() => installation.reload()}
          />
        ) : (
          <ul className="flex flex-wrap gap-2">
            {addresses?.map((address) => (
              <li key={address}>
                <CopyField value={address} label={tConnection('allow.copy', { address })} />
              </li>
            ))}
          </ul>
        )}
      </CardBody>
    </Card>
  )
}
