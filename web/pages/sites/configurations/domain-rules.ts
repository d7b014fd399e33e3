import { parseSiteDomain, type DomainRules } from '#shared/rules/site-domains.ts'
import { messageText } from '#web/lib/i18n/catalog.ts'
import { boot } from '#web/lib/session/boot.ts'
import { siteAddress } from '../site-form.ts'

/** The rules of the server for names of sites, as far as a page knows them. */
export function domainRules(): DomainRules {
  const { url, local_sites_url } = boot()
  const page = new URL(url)
  const { hostname } = new URL(siteAddress('x', local_sites_url, page))
  return { sitesDomain: hostname.startsWith('x.') ? hostname.slice(2) : null, dashboardHost: page.hostname }
}

/** Why a text is no name of a site; null if it is one. It may still be taken. */
export function domainProblem(text: string): string | null {
  const parsed = parseSiteDomain(text, domainRules())
  return 'problem' in parsed ? messageText(parsed.problem) : null
}
