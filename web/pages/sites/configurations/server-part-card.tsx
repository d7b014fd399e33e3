import type { ReactNode } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { engineCapabilities } from '#web/documents/actions/action-responses.ts'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'

/** A card about what the server of a site has for it, with the reason in place of its content where the server has none. */
export function ServerPartCard({
  site,
  reads,
  title,
  children,
}: {
  site: Site
  /** The action that reads it. Without the right to it there is no card. */
  reads: string
  title: string
  children: ReactNode
}) {
  const gates = useActions(SiteDoctype, { ...site, doctype: 'Site' })
  const read = gates.find(({ name }) => name === reads)?.gate
  // Until it is known what the server can do, it is not asked for what it may lack.
  const engine = useMethod('easydash.api.engine.capabilities', { server: site.server }, { returns: engineCapabilities })
  if (read === undefined || engine.data === undefined) return null
  return (
    <Card aria-label={title}>
      <CardHead title={title} />
      <CardBody className="grid gap-4">
        {read.enabled ? children : <p className="text-table text-muted">{read.reason}</p>}
      </CardBody>
    </Card>
  )
}
