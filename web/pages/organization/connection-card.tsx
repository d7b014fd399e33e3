import { useState, type ReactNode } from 'react'
import type { ConnectionName } from '#shared/doctypes/connections.ts'
import { ProviderMark } from '#web/features/servers/provider-mark.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { StatusPill } from '#web/ui/status.tsx'
import { ConnectionForm, EditConnection } from './connection-form.tsx'
import { vendorDocs } from '#web/features/servers/connection-help.ts'
import { ConnectionItem } from './connection-item.tsx'
import { tConnection } from './connection-messages.ts'
import { stateTones, type ListedConnection } from './connections.ts'

/** Stands for a connection that is being added. */
const added = 'new'

/** The connections to one service, and the form that adds or changes one of them. */
export function ConnectionCard({
  organization,
  name,
  connections,
  servers = null,
  advice,
}: {
  organization: string
  name: ConnectionName
  /** Those of this service. */
  connections: readonly ListedConnection[]
  /** Number of servers by connection; null if servers don't use this service, or while loading. */
  servers?: Readonly<Record<string, number>> | null
  /** Shown next to the link to the vendor's docs, while nothing is connected or the key doesn't work. */
  advice?: ReactNode
}) {
  // Which form is open, and which one was closed last: its button gets the focus back.
  const [open, setOpen] = useState<string | null>(null)
  const [closed, setClosed] = useState<string | null>(null)
  const vendor = tConnection(`name.${name}`)
  const close = () => {
    setClosed(open)
    setOpen(null)
  }
  const docs = (
    <>
      {advice ? <>{advice} · </> : null}
      <a href={vendorDocs[name]} target="_blank" rel="noreferrer" className="link">
        {tConnection('card.docs')}
      </a>
    </>
  )
  return (
    <Card aria-label={vendor}>
      <div className="flex items-center gap-3 px-4 pt-4 pb-3">
        <ProviderMark name={name} />
        <h2 className="min-w-0 flex-1">{vendor}</h2>
        {connections.length === 0 ? (
          <StatusPill inset tone={stateTones.none}>
            {tConnection('state.none')}
          </StatusPill>
        ) : open === added ? null : (
          <Button
            size="md"
            autoFocus={closed === added}
            aria-label={tConnection('card.add_of', { name: vendor })}
            onClick={() => setOpen(added)}
          >
            {tConnection('card.add')}
          </Button>
        )}
      </div>
      {connections.length === 0 ? (
        <div className="grid gap-4 px-4 pb-4">
          <p className="text-table text-muted">
            {tConnection(`hint.${name}`)} {docs}
          </p>
          <ConnectionForm organization={organization} name={name} connection={null} />
        </div>
      ) : (
        <ul aria-label={vendor} className="divide-y divide-hairline border-t border-hairline">
          {connections.map((connection) => (
            <ConnectionItem
              key={connection.name}
              organization={organization}
              connection={connection}
              servers={servers && (servers[connection.name] ?? 0)}
              docs={docs}
              returned={closed === connection.name}
              onEdit={() => setOpen(connection.name)}
              form={
                open === connection.name ? (
                  <EditConnection organization={organization} name={name} stored={connection.name} onClose={close} />
                ) : null
              }
            />
          ))}
          {open === added ? (
            <li className="grid gap-4 px-4 py-4">
              <p className="text-table text-muted">
                {tConnection(`hint.${name}`)} {docs}
              </p>
              <ConnectionForm organization={organization} name={name} connection={null} onClose={close} />
            </li>
          ) : null}
        </ul>
      )}
    </Card>
  )
}
