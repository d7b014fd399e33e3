import { SiteDoctype } from '#shared/doctypes/site.ts'
import type { EngineName } from '#shared/rules/engines.ts'
import { parseSiteDomain } from '#shared/rules/site-domains.ts'
import { checkSiteName, siteNameWhileTyping } from '#shared/rules/site-name.ts'
import type { FormDescription, FormValues } from '#web/documents/form/form-state.ts'
import { messageText } from '#web/lib/i18n/catalog.ts'
import { boot } from '#web/lib/session/boot.ts'
import { t } from './new-name/messages.ts'

/** Fields only WordPress sites need. */
const wordpressOnly: readonly string[] = [
  ...['database', 'multisite', 'admin_user', 'admin_email', 'object_cache', 'vip'],
  ...['initial_locale', 'initial_version'],
]

/** What sites are named by: names within the domain of all sites, or domains of their own. */
export type SiteNames = 'label' | 'domain'

/** What the sites of an engine are named by. */
export const siteNamesOf = (engine: EngineName | null | undefined): SiteNames => (engine === 'ee' ? 'domain' : 'label')

/** Reason why a new site can't have this name; null if it can. */
export function siteNameProblem(text: string, names: SiteNames): string | null {
  if (names === 'label') {
    const problem = checkSiteName(text)
    return problem && messageText(problem)
  }
  if (text === '') return t('name.domain_missing')
  const parsed = parseSiteDomain(text, { sitesDomain: null, dashboardHost: new URL(boot().url).hostname })
  return 'problem' in parsed ? messageText(parsed.problem) : null
}

/** The creation form: site fields in order, with validation beyond their description. */
export const siteForm: FormDescription = {
  fields: {
    ...SiteDoctype.fields,
    title: { ...SiteDoctype.fields.title, label: 'Site title', reqd: false },
    admin_user: { ...SiteDoctype.fields.admin_user, label: 'Admin user', reqd: true },
    admin_email: { ...SiteDoctype.fields.admin_email, label: 'Admin email', reqd: true },
  },
  names: [
    'server',
    'site_type',
    'php_version',
    'database',
    'domain',
    'multisite',
    'title',
    'admin_user',
    'admin_email',
  ],
  checks: { domain: (name) => siteNameProblem(name, 'label') },
  hidden: (name, values) =>
    (wordpressOnly.includes(name) && values['site_type'] !== 'wp') ||
    (name === 'with_database' && values['site_type'] !== 'php') ||
    (name === 'php_version' && values['site_type'] === 'html'),
}

/** WordPress username from an email; `admin` if nothing usable is in it. */
export function adminUserFrom(email: string): string {
  const local = email.split('@')[0] ?? ''
  const name = local
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '')
    .replace(/^[^a-z]+/, '')
    .slice(0, 32)
  return name === '' ? 'admin' : name
}

/** Suggested title for a name: `my-blog` → `My blog`. A space at the end stays, because another word may follow. */
export function titleFrom(name: string): string {
  const words = name.replaceAll(/[\s_-]+/g, ' ').trimStart()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * Values after editing the name, with the title that follows it unless the user edited it: typing `Bäckerei Nord` gives the
 * name `backerei-nord` and the title `Bäckerei Nord`.
 */
export function withName(values: FormValues, typed: string): { domain: string; title: string } {
  const domain = siteNameWhileTyping(typed)
  const before = String(values['domain'] ?? '')
  const title = String(values['title'] ?? '')
  const follows = title === '' || title === titleFrom(before) || siteNameWhileTyping(title) === before
  if (!follows) return { domain, title }
  // The field shows the converted name, so the title keeps the letters as the user typed them.
  const edited = typed.startsWith(before)
    ? title + typed.slice(before.length)
    : before.startsWith(typed)
      ? title.slice(0, typed.length - before.length)
      : typed
  return { domain, title: titleFrom(siteNameWhileTyping(edited) === domain ? edited : typed) }
}

/** Likewise for a full domain, whose first part gives the title: `backerei-nord.example` gives `Backerei nord`. */
export function withDomain(values: FormValues, typed: string): { domain: string; title: string } {
  const domain = typed.trim().toLowerCase()
  const title = String(values['title'] ?? '')
  const titleOf = (name: string) => titleFrom(name.replace(/^www\./, '').split('.')[0] ?? '')
  const follows = title === '' || title === titleOf(String(values['domain'] ?? ''))
  return { domain, title: follows ? titleOf(domain) : title }
}

/** URL of a local site. `pattern` contains `{slug}`; without one it is below `localhost` on the page's port. */
export function siteAddress(name: string, pattern: string | null, page: Pick<URL, 'port'>): string {
  const slug = name === '' ? 'name' : name
  if (pattern) return pattern.replace('{slug}', slug)
  return `http://${slug}.localhost${page.port ? `:${page.port}` : ''}`
}

/** Default PHP version: the description's if the engine has it, else the engine's newest. */
export function defaultPhpVersion(offered: readonly string[]): string {
  const usual = String(SiteDoctype.fields.php_version.default ?? '')
  return offered.includes(usual) ? usual : (offered.at(-1) ?? usual)
}
