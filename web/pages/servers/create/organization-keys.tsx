import type { Organization } from '#shared/doctypes/organization.ts'
import { listedKeys } from '#web/features/organizations/ssh-keys.ts'
import type { Loaded } from '#web/lib/api/frappe.tsx'
import { Link } from '#web/lib/routing/router.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { t } from './messages.ts'

/** The organization's keys, which are installed on the new server. They are changed in the settings. */
export function OrganizationKeys({
  organization,
  title = t('create.keys'),
  text = t('create.keys_text'),
}: {
  organization: Loaded<Organization>
  title?: string
  /** What becomes of them, if there are any. */
  text?: string
}) {
  const { data, error } = organization
  if (error && !data)
    return <ErrorPanel title={t('create.keys_error')} error={error} onRetry={() => organization.reload()} />
  const keys = data && listedKeys(data.default_authorized_keys)
  return (
    <Card>
      <CardHead title={title} lined>
        <Link to="/organization#ssh" className="link">
          {t('create.keys_change')}
        </Link>
      </CardHead>
      {!keys ? (
        <div className="px-4 py-3">
          <Skeleton className="h-3 w-40" />
        </div>
      ) : (
        <>
          <p className="px-4 py-2.5 text-table text-muted">{keys.length === 0 ? t('create.keys_none') : text}</p>
          {keys.length === 0 ? null : (
            <ul aria-label={title} className="divide-y divide-hairline border-t border-hairline">
              {keys.map(({ line, key }) => (
                <li key={line} className="flex min-h-10 items-center gap-3 px-4 py-1.5 text-table">
                  <span className="min-w-0 flex-1 truncate font-medium">
                    {key?.comment || t('create.key_nameless')}
                  </span>
                  <span className="flex-none font-mono text-meta text-muted" translate="no">
                    {key ? `${key.kind} …${key.base64.slice(-8)}` : null}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Card>
  )
}
