import type { Site } from '#shared/doctypes/site.ts'
import { addressBesideName, siteName } from '#shared/rules/display-name.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { Link } from '#web/lib/routing/router.tsx'
import type { Detail } from '#web/ui/detail-list.tsx'
import { t } from './menu-messages.ts'

/** The site that a site was cloned from, if the user can see it; it may be deleted by now. */
export function useClonedFrom({ cloned_from: source }: Site): Detail[] {
  const found = useList(source ? 'Site' : null, {
    fields: ['name', 'domain', 'title'],
    filters: [['name', '=', source ?? '']],
    limit: 1,
  })
  const original = found.data?.[0]
  if (!source || !original) return []
  return [
    {
      label: t('clone.from'),
      value: (
        <>
          <Link to={`/site/${encodeURIComponent(original.name)}`} className="link">
            {siteName(original)}
          </Link>
          <span className="block text-meta text-muted empty:hidden">{addressBesideName(original)}</span>
        </>
      ),
    },
  ]
}
