import type { Site } from '#shared/doctypes/site.ts'
import { siteName } from '#shared/rules/display-name.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { t } from '../messages.ts'

/** Says whose staging site it is; without a name for people who can't see that site. */
export function StagingBadge({ site: { staging_of: source } }: { site: Pick<Site, 'staging_of'> }) {
  const found = useList(source ? 'Site' : null, {
    fields: ['name', 'domain', 'title'],
    filters: [['name', '=', source ?? '']],
    limit: 1,
  })
  const original = found.data?.[0]
  return source ? <StagingTag of={original ? siteName(original) : null} /> : null
}

/** The tag itself. */
export function StagingTag({ of }: { of: string | null }) {
  return <Tag>{of === null ? t('site.staging') : t('site.staging_of', { site: of })}</Tag>
}
