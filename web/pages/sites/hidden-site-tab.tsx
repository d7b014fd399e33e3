import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { statusLabel } from '#web/documents/values/status-tones.ts'
import { useHiddenTab } from '#web/lib/routing/use-hash-tab.ts'
import { HiddenTabNotice } from '#web/ui/hidden-tab-notice.tsx'
import { t } from './messages.ts'
import { siteTabs, type SiteTab } from './site-tabs.ts'

/** Says why a tab of the site that the URL names is not among those shown. */
export function HiddenSiteTab({ site, shown }: { site: Site; shown: readonly SiteTab[] }) {
  const hidden = useHiddenTab(
    siteTabs.map(({ id }) => id),
    shown.map(({ id }) => id),
  )
  const tab = siteTabs.find(({ id }) => id === hidden)
  return tab ? <Reason site={site} tab={tab} /> : null
}

function Reason({ site, tab }: { site: Site; tab: SiteTab }) {
  const live: Site = { ...site, status: 'Live', locked_by_job: null }
  const liveWordPress: Site = { ...live, site_type: 'wp' }
  const isShownFor = (one: Site, actions: ReturnType<typeof useActions>) =>
    tab.shown(one, new Set(actions.map(({ name }) => name)))
  const ifLive = useActions(SiteDoctype, { ...live, doctype: 'Site' })
  const ifWordPress = useActions(SiteDoctype, { ...liveWordPress, doctype: 'Site' })
  const reason = isShownFor(live, ifLive)
    ? t('site.tab_status', { status: statusLabel('Site', 'status', site.status ?? 'Setting Up') })
    : isShownFor(liveWordPress, ifWordPress)
      ? t('site.tab_wordpress')
      : t('site.tab_access')
  return <HiddenTabNotice tab={tab.label()} reason={reason} />
}
