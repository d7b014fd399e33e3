import { useLocation } from 'react-router'
import { Link } from '#web/lib/routing/router.tsx'
import { jobSearch } from '#web/documents/jobs/job-link.ts'
import { Notice } from '#web/ui/notice.tsx'
import { t } from './messages.ts'

/** Notice on the site list after a redirect from a site's page: the reason, and the job that caused it. */
export interface SiteNotice {
  text: string
  /** Language of the text if it isn't the user's. */
  lang?: 'en' | undefined
  job: string | null
}

function readNotice(state: unknown): SiteNotice | null {
  if (typeof state !== 'object' || state === null || !('site_notice' in state)) return null
  return state.site_notice as SiteNotice
}

/** Notice at the top of the list that explains the redirect from the site's page. */
export function SiteNoticeLine() {
  const location = useLocation()
  const notice = readNotice(location.state)
  if (!notice) return null
  return (
    <div className="mb-4">
      <Notice tone="info" title={notice.lang ? <span lang={notice.lang}>{notice.text}</span> : notice.text}>
        {notice.job ? (
          <p>
            <Link className="link" to={{ search: jobSearch(location.search, notice.job) }} state={location.state}>
              {t('site.show_that_job')}
            </Link>
          </p>
        ) : null}
      </Notice>
    </div>
  )
}
