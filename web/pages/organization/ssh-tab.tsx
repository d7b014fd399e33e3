import type { Organization } from '#shared/doctypes/organization.ts'
import { AuthorizedKeys } from '#web/features/organizations/authorized-keys.tsx'
import { useInstallation } from '#web/features/organizations/use-installation.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { CopyField } from '#web/ui/copy-button.tsx'
import { t } from './messages.ts'

/** SSH keys authorized on every server of the organization. */
export function SshTab({ organization }: { organization: Organization }) {
  return (
    <div className="grid max-w-3xl gap-4">
      <AuthorizedKeys
        doctype="Organization"
        field="default_authorized_keys"
        doc={organization}
        value={organization.default_authorized_keys}
        title={t('ssh.title')}
        text={t('ssh.text')}
        none={{ title: t('ssh.none_title'), text: t('ssh.none') }}
      />
      <InstallationKey />
    </div>
  )
}

/** The installation's own public key. */
function InstallationKey() {
  const key = useInstallation().data?.default_public_key
  if (!key) return null
  return (
    <Card>
      <CardHead title={t('ssh.ours_title')} />
      <CardBody className="grid gap-2">
        <p className="text-table text-muted">{t('ssh.ours')}</p>
        <CopyField value={key} label={t('ssh.copy_ours')} />
      </CardBody>
    </Card>
  )
}
