import type { Server } from '#shared/doctypes/server.ts'
import { AuthorizedKeys } from '#web/features/organizations/authorized-keys.tsx'
import { useDoc, useList } from '#web/lib/api/frappe.tsx'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { CopyField } from '#web/ui/copy-button.tsx'
import { OrganizationKeys } from '../create/organization-keys.tsx'
import { RecordingsCard, useRecordings } from '../terminal/recordings-card.tsx'
import { TerminalCard } from '../terminal/terminal-card.tsx'
import { t } from './messages.ts'

/** How to sign in to a server, how to know that it is the server, a terminal on it, and whose keys are on it. */
export function SshTab({ server }: { server: Server }) {
  const { admin, owner } = sessionRoles(useSession())
  return (
    <div className="grid max-w-3xl gap-4">
      <SignInCard server={server} />
      {admin || owner ? (
        <>
          <Terminals server={server} />
          <KeyCards server={server} />
        </>
      ) : null}
    </div>
  )
}

function Terminals({ server }: { server: Server }) {
  const recordings = useRecordings(server)
  return (
    <>
      <TerminalCard server={server} onChange={() => void recordings.reload()} />
      <RecordingsCard server={server} recordings={recordings} />
    </>
  )
}

function SignInCard({ server }: { server: Server }) {
  const address = server.floating_ip ?? server.public_ipv4 ?? server.public_ipv6
  const command = `ssh ${server.ssh_user ?? 'root'}@${address ?? ''} -p ${server.ssh_port ?? 22}`
  return (
    <Card>
      <CardHead title={t('ssh.sign_in')} />
      <CardBody className="grid gap-4 text-table">
        {address ? (
          <div className="grid gap-1.5">
            <p className="text-muted">{t('ssh.sign_in_text')}</p>
            <CopyField value={command} label={t('ssh.command')} />
          </div>
        ) : (
          <p className="text-muted">{t('ssh.no_address')}</p>
        )}
        <div className="grid gap-1.5">
          <h3 className="font-medium">{t('ssh.host_key')}</h3>
          {server.host_key ? (
            <>
              <CopyField value={server.host_key} label={t('ssh.host_key_copy')} />
              <p className="text-muted">{t('ssh.host_key_text')}</p>
            </>
          ) : (
            <p className="text-muted">{t('ssh.host_key_none')}</p>
          )}
        </div>
      </CardBody>
    </Card>
  )
}

/** For those who can read them. */
function KeyCards({ server }: { server: Server }) {
  const { user } = useSession()
  const organization = useDoc('Organization', server.organization)
  const mine = useList('SSH Key', {
    fields: ['title', 'public_key', 'fingerprint'],
    filters: [['parent', '=', user ?? '']],
    order_by: 'added desc',
    limit: 0,
  })
  return (
    <>
      <AuthorizedKeys
        doctype="Server"
        field="authorized_keys"
        doc={server}
        value={server.authorized_keys}
        title={t('ssh.own')}
        text={t('ssh.own_text')}
        none={{ title: t('ssh.own_none_title'), text: t('ssh.own_none') }}
        suggestions={{
          label: t('ssh.yours_add'),
          keys: (mine.data ?? []).map(({ title, public_key: key, fingerprint }) => ({
            title: title ?? fingerprint ?? '',
            // Stored keys have no comment, which is what tells them apart on the server.
            line: `${key} ${title ?? ''}`.trim(),
          })),
        }}
      />
      <OrganizationKeys organization={organization} title={t('ssh.organization')} text={t('ssh.organization_text')} />
    </>
  )
}
