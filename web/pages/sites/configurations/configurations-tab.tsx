import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { SiteStatePanel } from '../site-state-panel.tsx'
import { DeploymentCard } from '../deployments/deployment-card.tsx'
import { DatabaseCard } from './database-card.tsx'
import { DangerCard } from './danger-card.tsx'
import { DomainsSettings } from './domains-settings.tsx'
import { DebugCard } from './debug-card.tsx'
import { LabelsForm } from './labels-form.tsx'
import { PeopleCard } from './people-card.tsx'
import { PhpCard } from './php-card.tsx'
import { ServicesCard } from './services-card.tsx'
import { SslCard } from './ssl-card.tsx'
import { VisitorsCard } from './visitors-card.tsx'
import { WordPressCard } from './wordpress-card.tsx'

/** The settings of a site: WordPress, PHP, who can see it, whose it is, and how to take it away. */
export function ConfigurationsTab({ site }: { site: Site }) {
  const actions = new Map(
    useActions(SiteDoctype, { ...site, doctype: 'Site' }).map(({ name, gate }) => [name, gate] as const),
  )
  const wordpress = actions.get('read_wordpress_settings')
  return (
    <>
      {site.status === 'Live' && !site.locked_by_job ? null : <SiteStatePanel site={site} />}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_360px]">
        <div className="grid min-w-0 gap-4">
          {wordpress ? <WordPressCard site={site} gate={wordpress} /> : null}
          {site.status === 'Archived' ? null : <DomainsSettings site={site} />}
          {site.status === 'Archived' ? null : <SslCard site={site} />}
          {actions.has('set_php_version') ? <PhpCard site={site} /> : null}
          {site.site_type === 'wp' && (actions.has('move_to_mysql') || actions.has('move_to_sqlite')) ? (
            <DatabaseCard site={site} />
          ) : null}
          {actions.has('set_debug') ? <DebugCard site={site} /> : null}
          {actions.has('connect_repository') ? <DeploymentCard site={site} /> : null}
          <LabelsForm site={site} />
        </div>
        <div className="grid min-w-0 gap-4">
          {actions.has('maintenance') ? <VisitorsCard site={site} /> : null}
          {site.status === 'Archived' ? null : <ServicesCard site={site} />}
          <PeopleCard site={site} />
          <DangerCard site={site} />
        </div>
      </div>
    </>
  )
}
