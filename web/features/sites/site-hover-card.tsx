import type { Site } from '#shared/doctypes/site.ts'
import { HoverCard, type Described } from '#web/ui/overlay/hover-card.tsx'
import { SiteCard } from './site-card.tsx'

/** What the card shows. */
export type SiteCardFacts = Pick<
  Site,
  'domain' | 'status' | 'health' | 'thumbnail' | 'thumbnail_taken' | 'usr_alias_domains'
> & {
  /** Host name of the server; null where this person does not see it. */
  readonly server_title: string | null
}

/** Expressions to read them by a list request; `server_title` is the title that links bring along. */
export const siteCardFields = [
  'domain',
  'status',
  'health',
  'thumbnail',
  'thumbnail_taken',
  'usr_alias_domains',
  'server.hostname as server_title',
] as const

/** The link to a site with its card. */
export function SiteHoverCard({ site, children }: { site: SiteCardFacts; children: Described }) {
  return <HoverCard content={() => <SiteCard site={site} />}>{children}</HoverCard>
}
