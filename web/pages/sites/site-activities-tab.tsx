import type { Site } from '#shared/doctypes/site.ts'
// Lazy: the list imports what this page shares with others, and two files that import each other don't start (vite.config.ts).
import { Activities } from '#web/documents/activity/activities.ts'

/** What happened to the site. */
export function SiteActivitiesTab({ site }: { site: Site }) {
  return <Activities doctype="Site" name={site.name} />
}
