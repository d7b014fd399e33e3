import { loginLinks } from '#shared/responses/login-provider.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { ConfirmedAction } from './confirmed-action.tsx'
import { tAuth } from './messages.ts'

/** Members who logged in through the provider: their identity there is theirs here, until it is unlinked. */
export function LinkedMembers({ organization }: { organization: string }) {
  const { data, error, reload } = useMethod(
    'run_doc_method',
    { dt: 'Organization', dn: organization, method: 'list_login_links' },
    { verb: 'POST', returns: loginLinks },
  )
  if (error && !data) return <ErrorPanel title={tAuth('links.error')} error={error} onRetry={() => void reload()} />
  return (
    <Card>
      <CardHead title={tAuth('links.title')} />
      <CardBody>
        {!data ? <Skeleton className="h-11 w-full" /> : null}
        {data?.length === 0 ? <p className="text-table text-muted">{tAuth('links.none')}</p> : null}
        <ul className="grid gap-2">
          {data?.map(({ user, linked, last_used }) => (
            <li key={user} className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="min-w-0 flex-1 basis-48 text-table">
                <span className="block truncate font-medium" translate="no">
                  {user}
                </span>
                <span className="text-muted">
                  <Time
                    variant="standalone"
                    value={last_used ?? linked}
                    format={(when) => tAuth('links.used', { when })}
                  />
                </span>
              </span>
              <ConfirmedAction
                organization={organization}
                action="remove_login_link"
                args={{ user }}
                label={tAuth('links.unlink')}
                name={tAuth('links.unlink_of', { user })}
                title={tAuth('links.unlink_title', { user })}
                text={tAuth('links.unlink_text')}
                confirm={tAuth('links.unlink_confirm')}
                done={tAuth('links.unlinked')}
                onDone={async () => reload()}
              />
            </li>
          ))}
        </ul>
      </CardBody>
    </Card>
  )
}
