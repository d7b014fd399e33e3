import { checkDomain } from '#shared/rules/formats.ts'

/** Whether it is a single label of a host name. */
export const isSlug = (domain: string): boolean => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(domain)

/** Whether it is a name of a site: a single label below the sites' domain, or a full domain. */
export const isSiteDomain = (domain: string): boolean => isSlug(domain) || checkDomain(domain) === null

/** A host without port and final dot, in lower case. */
const bare = (host: string): string => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')

/** The part of a host before the sites' domain; null if it is not below it. */
function partBelow(host: string, sitesDomain: string): string | null {
  const suffix = `.${sitesDomain}`
  return host.endsWith(suffix) && host.length > suffix.length ? host.slice(0, -suffix.length) : null
}

/** The name of a request's site, in the form of `SiteRef.domain`: `blog.localhost:8080` → `blog`. */
export function domainOfHost(host: string, sitesDomain: string): string {
  const name = bare(host)
  const part = partBelow(name, sitesDomain)
  return part === null || part.includes('.') ? name : part
}

/** Whether a host is below the domain of the sites. */
export const isBelow = (host: string, sitesDomain: string): boolean => partBelow(bare(host), sitesDomain) !== null
