import { WpcSiteDoctype, type WpcSite } from '#shared/doctypes/wpc-site.ts'
import { wpcSshUsers } from '#shared/responses/wpc-sites.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { t } from './messages.ts'

/** Who reaches the files of a site by SSH or SFTP, as WP Cloud lists them now. */
export function WpcSshTab({ site }: { site: WpcSite }) {
  const read = useMethod(
    'run_doc_method',
    { dt: 'WPC Site', dn: site.name, method: 'list_ssh_users' },
    { verb: 'POST', returns: wpcSshUsers, keepPrevious: true },
  )
  const doc = { ...site, doctype: 'WPC Site' }
  const found = read.data
  const reload = () => void read.reload()
  return (
    <Card aria-label={t('ssh.title')}>
      <CardHead title={t('ssh.title')} />
      <CardBody className="grid gap-4 text-table">
        <p className="text-muted">{t('ssh.hint')}</p>
        <div className="flex flex-wrap gap-2">
          <ActionButton type={WpcSiteDoctype} doc={doc} name="add_ssh_user" size="md" onDone={reload} />
          <ActionButton
            type={WpcSiteDoctype}
            doc={doc}
            name="set_ssh_access"
            size="md"
            fields={{ value: { choices: accessChoices(), verbatim: true } }}
          />
        </div>
        {read.error && !found ? (
          <ErrorPanel title={t('ssh.error')} error={read.error} onRetry={() => read.reload()} />
        ) : null}
        {!found && !read.error ? <Skeleton className="h-16 w-full" /> : null}
        {found?.logins.length === 0 ? <p className="text-muted">{t('ssh.none')}</p> : null}
        <ul className="divide-y divide-hairline">
          {found?.logins.map((user) => (
            <li key={user} className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-2 py-1.5">
              <span className="flex min-w-0 flex-1 basis-64 items-center gap-1.5">
                <code className="min-w-0 font-mono text-meta wrap-anywhere" translate="no">
                  sftp {user}@{found.host}
                </code>
                <CopyButton value={`sftp ${user}@${found.host}`} label={t('ssh.copy', { user })} />
              </span>
              <ActionButton
                type={WpcSiteDoctype}
                doc={doc}
                name="remove_ssh_user"
                label={t('ssh.remove', { user })}
                args={{ user }}
                size="sm"
                onlyPossible
                onDone={reload}
              />
            </li>
          ))}
        </ul>
      </CardBody>
    </Card>
  )
}

const accessChoices = () => [
  { value: 'sftp', label: t('ssh.sftp') },
  { value: 'ssh', label: t('ssh.shell') },
]
