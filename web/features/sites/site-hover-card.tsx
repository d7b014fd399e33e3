import { HoverCard, type Described } from '#web/ui/overlay/hover-card.tsx'
import { SiteCard, type SiteCardData } from './site-card.tsx'

/** Fields for a list request; `server_title` is the title of the linked server. */
export const siteCardFields = [
  'domain',
  'title',
  'status',
  'health',
  'thumbnail',
  'thumbnail_taken',
  'usr_alias_domains',
  'server.hostname as server_title',
] as const

/** Link to a site with its hover card. */
export function SiteHoverCard({ site, children }: { site: SiteCardData; children: Described }) {
  return <HoverCard content={() => <SiteCard site={site} />}>{children}</HoverCard>
}
