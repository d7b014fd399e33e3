import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { siteServices } from '#shared/responses/site-services.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { ActionSwitch } from '#web/documents/actions/action-switch.tsx'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { useDocEvents } from '#web/lib/events/use-events.ts'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { ServerPartCard } from './server-part-card.tsx'
import { t } from './ssl-messages.ts'

/** What the server puts around a site: a cache of whole pages, and MailHog. */
export function ServicesCard({ site }: { site: Site }) {
  return (
    <ServerPartCard site={site} reads="read_services" title={t('services.title')}>
      <Services site={site} />
    </ServerPartCard>
  )
}

function Services({ site }: { site: Site }) {
  const read = useMethod(
    'run_doc_method',
    { dt: 'Site', dn: site.name, method: 'read_services' },
    { verb: 'POST', returns: siteServices },
  )
  const reload = () => void read.reload()
  useDocEvents('Site', site.name, reload)
  if (read.error && !read.data)
    return (
      <ErrorPanel className="flex items-start gap-3" title={t('services.error')} error={read.error} onRetry={reload} />
    )
  if (!read.data) return <Skeleton className="h-14 w-full" />
  const { proxy_cache: isCached, mail_catcher: isCaught } = read.data
  const doc = { ...site, doctype: 'Site' }
  return (
    <>
      <ActionSwitch
        type={SiteDoctype}
        doc={doc}
        name="set_proxy_cache"
        on={isCached}
        label={t('services.cache')}
        hint={t('services.cache_hint')}
        done={(on) => t(on ? 'services.cache_on' : 'services.cache_off')}
        onDone={reload}
      />
      {isCached ? <ActionButton type={SiteDoctype} doc={doc} name="purge_proxy_cache" size="md" /> : null}
      <ActionSwitch
        type={SiteDoctype}
        doc={doc}
        name="set_mail_catcher"
        on={isCaught}
        label={t('services.mail')}
        hint={t('services.mail_hint')}
        done={(on) => t(on ? 'services.mail_on' : 'services.mail_off')}
        onDone={reload}
      />
      {isCaught ? (
        <p className="text-meta text-muted">
          <a
            className="font-medium text-fg underline"
            href={`${site.url ?? ''}/ee-admin/mailhog/`}
            target="_blank"
            rel="noreferrer"
          >
            {t('services.mail_open')}
          </a>{' '}
          {t('services.mail_password')}
        </p>
      ) : null}
    </>
  )
}
