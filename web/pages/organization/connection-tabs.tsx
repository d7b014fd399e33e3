import type { ConnectionName } from '#shared/doctypes/connections.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { EditForm } from '#web/documents/form/edit-form.tsx'
import { ScheduleCard } from '#web/features/backups/schedule-card.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ConnectionCard } from './connection-card.tsx'
import { tConnection } from './connection-messages.ts'
import { connectionsOf } from './connections.ts'
import { useInstallation } from '#web/features/organizations/use-installation.ts'
import { StoresCard } from './stores-card.tsx'
import { WithConnections } from './with-connections.tsx'

const column = 'grid max-w-3xl gap-4'
const notificationFields = ['slack_on_failure', 'slack_on_sites', 'slack_on_people', 'slack_on_settings'] as const

/** The connections of one service. */
function ServiceCard({ organization, name }: { organization: Organization; name: ConnectionName }) {
  return (
    <WithConnections>
      {(connections) => (
        <ConnectionCard organization={organization.name} name={name} connections={connectionsOf(connections, name)} />
      )}
    </WithConnections>
  )
}

/** When sites are backed up, and backup storage. */
export function BackupTab({ organization }: { organization: Organization }) {
  return (
    <div className={column}>
      <StoresCard organization={organization} />
      <ScheduleCard organization={organization.name} />
      <ServiceCard organization={organization} name="bucket" />
    </div>
  )
}

/** The Slack channel that gets notifications, and which ones. */
export function SlackTab({ organization }: { organization: Organization }) {
  const { slack_token, slack_webhook_url, slack_channel } = organization
  const complete = Boolean(slack_webhook_url ?? (slack_token && slack_channel))
  return (
    <div className={column}>
      <ServiceCard organization={organization} name="slack" />
      {complete ? (
        <EditForm
          type={OrganizationDoctype}
          doc={{ ...organization, doctype: 'Organization' }}
          label={tConnection('notifications.form')}
          sections={[
            {
              title: tConnection('notifications.title'),
              hint: tConnection('notifications.text'),
              names: notificationFields,
            },
          ]}
        />
      ) : (
        <Card>
          <CardHead title={tConnection('notifications.title')} />
          <CardBody>
            <p className="text-table text-muted">{tConnection('notifications.off')}</p>
          </CardBody>
        </Card>
      )}
    </div>
  )
}

/** The organization's GitHub account. */
export function GithubTab({ organization }: { organization: Organization }) {
  const installation = useInstallation()
  return (
    <div className={column}>
      <ServiceCard organization={organization} name="github" />
      {installation.data ? (
        <Card>
          <CardHead title={tConnection('bot.title')} />
          <CardBody className="flex flex-wrap items-center gap-x-4 gap-y-1 text-table">
            <span className="font-mono" translate="no">
              {installation.data.bot_name}
            </span>
            <span className="text-muted">{tConnection('bot.text')}</span>
          </CardBody>
        </Card>
      ) : null}
    </div>
  )
}
