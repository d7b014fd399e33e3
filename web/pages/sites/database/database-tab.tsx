import { useLocation, useNavigate } from 'react-router'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { engineCapabilities } from '#web/documents/actions/action-responses.ts'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { Card } from '#web/ui/card.tsx'
import { ViewChip, ViewChips } from '#web/ui/chip.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { t } from './messages.ts'
import { PhpConsole } from './php-console.tsx'
import { SqlConsole } from './sql-console.tsx'
import { TableBrowser } from './table-browser.tsx'
import { WpConsole } from './wp-console.tsx'

/** The database of a site's WordPress, and the consoles of admins. The open one is part of the URL (`?tool=`). */
export function DatabaseTab({ site }: { site: Site }) {
  const [params] = useSearchParams()
  const { hash } = useLocation()
  const navigate = useNavigate()
  const actions = useActions(SiteDoctype, { ...site, doctype: 'Site' })
  const gateOf = (action: string) => actions.find(({ name }) => name === action)?.gate
  const [browse, sql, php, wp] = [gateOf('database_tables'), gateOf('run_sql'), gateOf('run_php'), gateOf('run_wp')]
  const engine = useMethod(
    wp ? 'easydash.api.engine.capabilities' : null,
    { server: site.server },
    { returns: engineCapabilities },
  )
  // Elsewhere PHP does the same.
  const hasWp = wp !== undefined && engine.data?.capabilities['wp_cli']?.supported === true
  const tools = [
    { id: 'tables', label: t('db.tables'), shown: true },
    { id: 'sql', label: t('sql.chip'), shown: sql !== undefined },
    { id: 'php', label: t('php.chip'), shown: php !== undefined },
    { id: 'wp', label: t('wp.chip'), shown: hasWp },
  ].filter(({ shown }) => shown)
  const tool = tools.find(({ id }) => id === params.get('tool'))?.id ?? 'tables'
  const open = (id: string): void => {
    const next = new URLSearchParams(params)
    if (id === 'tables') next.delete('tool')
    else next.set('tool', id)
    void navigate({ search: `?${next}`, hash }, { replace: true })
  }
  return (
    <>
      {tools.length > 1 ? (
        <ViewChips label={t('db.tools')}>
          {tools.map(({ id, label }) => (
            <ViewChip key={id} active={id === tool} onClick={() => open(id)}>
              {label}
            </ViewChip>
          ))}
        </ViewChips>
      ) : null}
      {tool === 'sql' && sql ? (
        <SqlConsole site={site} gate={sql} />
      ) : tool === 'php' && php ? (
        <PhpConsole site={site} gate={php} />
      ) : tool === 'wp' && wp ? (
        <WpConsole site={site} gate={wp} />
      ) : browse !== undefined && !browse.enabled ? (
        <Card>
          <EmptyState title={t('db.unavailable')}>{browse.reason}</EmptyState>
        </Card>
      ) : (
        <TableBrowser site={site} />
      )}
    </>
  )
}
