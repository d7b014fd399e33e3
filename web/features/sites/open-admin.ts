import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { siteName } from '#shared/rules/display-name.ts'
import { answeredLink } from '#web/documents/actions/answered-link.ts'
import { useActionRunner } from '#web/documents/actions/use-actions.ts'
import { createCatalog } from '#web/lib/i18n/catalog.ts'

const t = createCatalog({ 'site.admin_page': 'Opening the admin of {site}…' })

/**
 * Opens wp-admin in a new tab, signed in as the person's own WordPress user or as the given one of the site, or the admin
 * area of its network. The tab opens in the click handler, because browsers block tabs that open after a
 * response. It then navigates to the single-use link, or closes if there is none.
 */
export function useOpenAdmin(): (
  site: Pick<Site, 'name' | 'domain'> & Partial<Pick<Site, 'title'>>,
  to?: { readonly as: string } | { readonly network: true },
) => Promise<void> {
  const { runOrToast } = useActionRunner(SiteDoctype)
  return async (site, to) => {
    const tab = window.open('', '_blank')
    if (tab) {
      // The site is not trusted: it must not access this page.
      tab.opener = null
      tab.document.title = t('site.admin_page', { site: siteName(site) })
    }
    const result = await (to === undefined
      ? runOrToast(site, 'login_link')
      : 'as' in to
        ? runOrToast(site, 'login_link', { user: to.as })
        : runOrToast(site, 'login_link', { network: 1 }))
    const url = result && answeredLink(SiteDoctype, 'login_link', result)
    if (url === null) {
      tab?.close()
      return
    }
    if (tab && !tab.closed) tab.location.replace(url)
    else window.location.assign(url)
  }
}
