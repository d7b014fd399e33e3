import type { Site } from '#shared/doctypes/site.ts'
import { parseSiteDomain, type DomainRules } from '#shared/rules/site-domains.ts'
import { messageText } from '#web/lib/i18n/catalog.ts'
import { boot } from '#web/lib/session/boot.ts'
import { siteAddress } from '../site-form.ts'

/** The rules of the server for names of a site, as far as a page knows them: sites on servers have full domains. */
export function domainRules({ engine }: Pick<Site, 'engine'>): DomainRules {
  const { url, local_sites_url } = boot()
  const page = new URL(url)
  const { hostname } = new URL(siteAddress('x', local_sites_url, page))
  const hasParent = engine !== 'ee' && hostname.startsWith('x.')
  return { sitesDomain: hasParent ? hostname.slice(2) : null, dashboardHost: page.hostname }
}

/** Why a text is no name of a site; null if it is one. It may still be taken. */
export function domainProblem(text: string, site: Pick<Site, 'engine'>): string | null {
  const parsed = parseSiteDomain(text, domainRules(site))
  return 'problem' in parsed ? messageText(parsed.problem) : null
}
