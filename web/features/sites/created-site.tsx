import { ExternalLink, LogIn } from 'lucide-react'
import type { Job } from '#shared/doctypes/job.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { useDoc } from '#web/lib/api/frappe.tsx'
import { createCatalog } from '#web/lib/i18n/catalog.ts'
import { Button, buttonStyle } from '#web/ui/button.tsx'
import { useOpenAdmin } from './open-admin.ts'

const t = createCatalog({ visit: 'Visit', admin: 'Open admin' })

/** Jobs that end with a new site: from nothing, as a copy of another, from an archive. */
const creatingJobs: readonly string[] = ['site.create', 'site.clone', 'site.import']

/** Next steps after the creation of a site: visit it, open its admin. Nothing for other jobs, and while it isn't live. */
export function CreatedSite({ job }: { job: Pick<Job, 'job_type' | 'reference_name'> }) {
  return creatingJobs.includes(job.job_type) && job.reference_name ? <SiteLinks name={job.reference_name} /> : null
}

function SiteLinks({ name }: { name: string }) {
  const site = useDoc('Site', name).data
  const admin = useActions(SiteDoctype, site ? { ...site, doctype: 'Site' } : null).find(
    (entry) => entry.name === 'login_link',
  )
  const openAdmin = useOpenAdmin()
  if (!site || site.status !== 'Live') return null
  return (
    <>
      {site.url ? (
        <a href={site.url} target="_blank" rel="noopener" className={buttonStyle({ variant: 'default' })}>
          <ExternalLink size={16} strokeWidth={1.75} aria-hidden="true" className="text-muted" />
          {t('visit')}
        </a>
      ) : null}
      {site.site_type === 'wp' && admin?.gate.enabled ? (
        <Button variant="primary" onClick={() => void openAdmin(site)}>
          <LogIn size={16} strokeWidth={1.75} aria-hidden="true" />
          {t('admin')}
        </Button>
      ) : null}
    </>
  )
}
