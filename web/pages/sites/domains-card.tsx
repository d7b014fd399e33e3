import type { Site } from '#shared/doctypes/site.ts'
import { Card, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { t } from './messages.ts'

const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '')

/** Hosts of a site, the primary one first. */
export function domainsOf(site: Pick<Site, 'url' | 'domain' | 'usr_alias_domains' | 'aliases'>): string[] {
  const main = site.url ? withoutScheme(site.url) : site.domain
  const others = site.aliases
    ? site.aliases.filter(({ taken }) => taken !== 1).map(({ url }) => withoutScheme(url))
    : (site.usr_alias_domains ?? '').split(/[\s,]+/).filter((part) => part !== '')
  return [...new Set([main, ...others])]
}

/** Domains of a site. */
export function DomainsCard({ site }: { site: Site }) {
  return (
    <Card aria-label={t('site.domains')}>
      <CardHead title={t('site.domains')} lined />
      <ul className="divide-y divide-hairline">
        {domainsOf(site).map((domain, index) => (
          <li key={domain} className="flex min-h-11 items-center gap-2 px-4 py-1 text-table">
            <span className="min-w-0 flex-1 font-medium wrap-anywhere">{domain}</span>
            {index === 0 ? <Tag>{t('site.primary')}</Tag> : null}
            <CopyButton value={domain} label={t('site.copy_domain', { domain })} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
