import { useLocation, useNavigate } from 'react-router'
import type { Site } from '#shared/doctypes/site.ts'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { ViewChip, ViewChips } from '#web/ui/chip.tsx'
import { Mailbox } from './mailbox.tsx'
import { t } from './messages.ts'
import { SiteJobs } from './site-jobs.tsx'
import { TextLogPanel } from './text-log-panel.tsx'

type View = 'php' | 'debug' | 'access' | 'mail' | 'jobs'

const viewsOfKind: Readonly<Record<NonNullable<Site['site_type']>, readonly View[]>> = {
  wp: ['php', 'debug', 'access', 'mail', 'jobs'],
  php: ['php', 'access', 'mail', 'jobs'],
  html: ['access', 'jobs'],
}

const labels = {
  php: () => t('logs.php'),
  debug: () => t('logs.debug'),
  access: () => t('logs.access'),
  mail: () => t('logs.mail'),
  jobs: () => t('logs.jobs'),
} satisfies Record<View, () => string>

/** Logs of the site, the mail it sent, and its jobs. The open one is part of the URL (`?log=`). */
export function LogsTab({ site }: { site: Site }) {
  const [params] = useSearchParams()
  const { hash } = useLocation()
  const navigate = useNavigate()
  const views = viewsOfKind[site.site_type ?? 'wp']
  const current = views.find((view) => view === params.get('log')) ?? views[0] ?? 'access'
  const open = (view: View): void => {
    const next = new URLSearchParams(params)
    next.set('log', view)
    void navigate({ search: `?${next}`, hash }, { replace: true })
  }
  return (
    <>
      <ViewChips label={t('logs.sources')}>
        {views.map((view) => (
          <ViewChip key={view} active={view === current} onClick={() => open(view)}>
            {labels[view]()}
          </ViewChip>
        ))}
      </ViewChips>
      {current === 'mail' ? (
        <Mailbox site={site} />
      ) : current === 'jobs' ? (
        <SiteJobs site={site} />
      ) : (
        <TextLogPanel key={current} site={site} log={current} label={labels[current]()} />
      )}
    </>
  )
}
