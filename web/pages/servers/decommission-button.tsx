import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { machineName } from '#shared/rules/machine-names.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { listHref } from '#web/documents/query/list-href.ts'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { useCount } from '#web/lib/api/frappe.tsx'
import { Link } from '#web/lib/routing/router.tsx'
import { t } from './messages.ts'
import { serverPrice } from './server-price.ts'

/** Ends a server; first says what goes. A server with sites can't be ended: then it says where they are. */
export function DecommissionButton({ server, label }: { server: Server; label?: string }) {
  const doc = { ...server, doctype: 'Server' }
  const here = [['server', '=', server.name]] as const
  // A machine of one's own keeps the sites that it had before.
  const madeHere = server.cloud_provider === 'Custom' ? [...here, ['is_found', '=', 0] as const] : here
  const { data: sites, error } = useCount('Site', { filters: madeHere })
  const isAllowed = useActions(ServerDoctype, doc).some(({ name }) => name === 'decommission')
  if (!isAllowed || (sites === undefined && error === null)) return null
  if (sites)
    return (
      <p className="text-table text-muted">
        {t('server.has_sites')}{' '}
        <Link to={listHref('/site', here)} className="link">
          {t('servers.sites', { count: sites })}
        </Link>
      </p>
    )
  return (
    <ActionButton
      type={ServerDoctype}
      doc={doc}
      name="decommission"
      size="md"
      {...(label !== undefined && { label })}
      details={
        <>
          <p className="mt-3">{t(isOwn(server) ? 'server.keeps' : 'server.loses')}</p>
          <ul className="mt-1 list-disc pl-5">
            {effectsOn(server).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </>
      }
    />
  )
}

/** Whether its machine is none that Easydash ordered. */
const isOwn = ({ cloud_provider: provider }: Server): boolean => !provider || provider === 'Custom'

function effectsOn(server: Server): string[] {
  const { cloud_provider: provider, vm_type: type, public_ipv4: address } = server
  const where = address ? [t('server.loses_address', { address })] : []
  if (isOwn(server)) return [t('server.keeps_sites'), t('server.keeps_machine')]
  const { monthly } = serverPrice(server)
  const machine = {
    type: machineName(provider, type ?? ''),
    provider: valueLabel(ServerDoctype, 'cloud_provider', provider ?? ''),
  }
  return [
    monthly === null
      ? t('server.loses_machine', machine)
      : t('server.loses_priced_machine', { ...machine, price: monthly }),
    ...where,
  ]
}
