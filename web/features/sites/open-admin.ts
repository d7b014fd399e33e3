import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { t } from '#web/documents/messages.ts'
import { useActionRunner } from '#web/documents/actions/use-actions.ts'

/**
 * Opens wp-admin in a new tab, signed in. The tab opens with the press itself, because browsers block tabs that
 * open after an answer; the single-use link is put into it when the server gave one, and it closes when it did not.
 */
export function useOpenAdmin(): (site: Pick<Site, 'name' | 'domain'>) => Promise<void> {
  const { runOrToast } = useActionRunner(SiteDoctype)
  return async (site) => {
    const tab = window.open('', '_blank')
    if (tab) {
      // The site is not ours: it must not reach back into this page.
      tab.opener = null
      tab.document.title = t('site.admin_page', { site: site.domain })
    }
    const result = await runOrToast(site, 'login_link')
    const url = typeof result?.['url'] === 'string' ? result['url'] : null
    if (url === null) {
      tab?.close()
      return
    }
    if (tab && !tab.closed) tab.location.replace(url)
    else window.location.assign(url)
  }
}
