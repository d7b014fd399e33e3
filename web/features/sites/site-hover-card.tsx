import type { Site } from '#shared/doctypes/site.ts'
import { HoverCard, type Described } from '#web/ui/overlay/hover-card.tsx'
import { SiteCard } from './site-card.tsx'

/** Fields on the card. */
export type SiteCardFacts = Pick<
  Site,
  'domain' | 'status' | 'health' | 'thumbnail' | 'thumbnail_taken' | 'usr_alias_domains'
> & {
  /** Host name of the server; null if not visible to the user. */
  readonly server_title: string | null
}

/** Fields for a list request; `server_title` is the title of the linked server. */
export const siteCardFields = [
  'domain',
  'status',
  'health',
  'thumbnail',
  'thumbnail_taken',
  'usr_alias_domains',
  'server.hostname as server_title',
] as const

/** Link to a site with its hover card. */
export function SiteHoverCard({ site, children }: { site: SiteCardFacts; children: Described }) {
  return <HoverCard content={() => <SiteCard site={site} />}>{children}</HoverCard>
}
