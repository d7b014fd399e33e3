import type { Site } from '#shared/doctypes/site.ts'
import { siteName } from '#shared/rules/display-name.ts'
import { useSmallList } from '#web/lib/api/frappe.tsx'
import { Link } from '#web/lib/routing/router.tsx'
import { WorkingPanel } from '../working-panel.tsx'
import { t } from './menu-messages.ts'

/** The copies of a site that are being made. Their jobs are those of the new sites, so the site itself shows none. */
export function RunningCopies({ site }: { site: Site }) {
  const { data } = useSmallList('Site', {
    fields: ['name', 'domain', 'title', 'staging_of', 'locked_by_job'],
    filters: [
      ['cloned_from', '=', site.name],
      ['status', '=', 'Setting Up'],
    ],
    order_by: 'creation asc',
    limit: 5,
  })
  // A copy often has the name of its source, and then is told from it by its address.
  const nameOf = (copy: Pick<Site, 'domain' | 'title'>) =>
    siteName(copy) === siteName(site) ? copy.domain : siteName(copy)
  return data?.map(({ name, domain, title, staging_of: isStaging, locked_by_job: job }) =>
    job === null ? null : (
      <WorkingPanel
        key={name}
        job={job}
        title={
          <Link to={`/site/${encodeURIComponent(name)}`} className="hover:underline">
            {t(isStaging ? 'clone.staging_running' : 'clone.running', { site: nameOf({ domain, title }) })}
          </Link>
        }
      />
    ),
  )
}
