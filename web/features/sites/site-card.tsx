import type { Site } from '#shared/doctypes/site.ts'
import { addressBesideName, siteName } from '#shared/rules/display-name.ts'
import { DetailList } from '#web/ui/detail-list.tsx'
import { Thumbnail } from './thumbnail.tsx'
import { Time } from '#web/ui/time.tsx'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { t } from './site-card-messages.ts'

/** Fields on the card. */
export type SiteCardData = Pick<
  Site,
  'domain' | 'title' | 'status' | 'health' | 'thumbnail' | 'thumbnail_taken' | 'usr_alias_domains'
> & {
  /** Host name of the server; null if not visible to the user. */
  readonly server_title: string | null
}

/** Maximum aliases listed; the rest is a count. */
const maxAliases = 3

/** Text of an alias list on a card. */
function formatAliases(stored: Site['usr_alias_domains']): string {
  const aliases = (stored ?? '').split(/[\s,]+/).filter((part) => part !== '')
  const more = aliases.length - maxAliases
  return [...aliases.slice(0, maxAliases), ...(more > 0 ? [`+${more}`] : [])].join(', ')
}

/** Content of a site's hover card. Everything comes from its row, without a request, and is also on the site's page. */
export function SiteCard({ site }: { site: SiteCardData }) {
  const status = site.status ?? 'Setting Up'
  const aliases = formatAliases(site.usr_alias_domains)
  return (
    <>
      <Thumbnail size="xl" name={siteName(site)} src={site.thumbnail} />
      <span className="grid gap-2 p-3">
        <span>
          <span className="block font-medium wrap-anywhere">{siteName(site)}</span>
          <span className="block text-table wrap-anywhere text-muted empty:hidden">{addressBesideName(site)}</span>
        </span>
        <span className="flex flex-wrap items-center gap-x-3.5 gap-y-1.5">
          <DocStatus inset={status !== 'Live'} doctype="Site" value={status} />
          {status === 'Live' && site.health ? (
            <DocStatus inset doctype="Site" field="health" value={site.health} />
          ) : null}
        </span>
        <DetailList
          text
          details={[
            ...(aliases ? [{ label: t('card.aliases'), value: aliases }] : []),
            ...(site.server_title ? [{ label: t('card.server'), value: site.server_title }] : []),
            ...(site.thumbnail && site.thumbnail_taken
              ? [{ label: t('card.taken'), value: <Time variant="detail" value={site.thumbnail_taken} /> }]
              : []),
          ]}
        />
      </span>
    </>
  )
}
