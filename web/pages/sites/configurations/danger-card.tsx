import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { confirmText } from '#web/documents/actions/action-phrase.ts'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { Card, CardHead } from '#web/ui/card.tsx'
import { t } from '../messages.ts'

/** Dangerous actions of a site that have no place of their own, separate from the others; nothing for users without the permission. */
export function DangerCard({ site }: { site: Site }) {
  const doc = { ...site, doctype: 'Site' }
  const actions = useActions(SiteDoctype, doc).filter(({ action }) => action.danger && !action.hidden)
  // For failed and archived sites, the panel at the top already has them.
  if (actions.length === 0 || site.status === 'Failed' || site.status === 'Archived') return null
  return (
    <Card aria-label={t('site.danger')}>
      <CardHead title={t('site.danger')} lined />
      <ul className="divide-y divide-hairline">
        {actions.map(({ name, action }) => (
          <li key={name} className="grid justify-items-start gap-2 px-4 py-3 text-table">
            <span className="text-muted">{confirmText(action)}</span>
            <ActionButton type={SiteDoctype} doc={doc} name={name} size="md" />
          </li>
        ))}
      </ul>
    </Card>
  )
}
