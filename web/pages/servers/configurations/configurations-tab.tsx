import { useState, type ReactNode } from 'react'
import { serverCategories, ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { isEasyEngineOutdated, newestEasyEngine } from '#shared/rules/easyengine-version.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { ActionSwitch } from '#web/documents/actions/action-switch.tsx'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { EditForm } from '#web/documents/form/edit-form.tsx'
import { FormField } from '#web/documents/form/form-field.tsx'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { formatBytes } from '#web/lib/i18n/format.ts'
import { timeZoneChoices } from '#web/lib/i18n/time-zone-choices.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { DetailList } from '#web/ui/detail-list.tsx'
import { DecommissionButton } from '../decommission-button.tsx'
import { pendingUpdates } from '../server-details.tsx'
import { FirewallCard } from './firewall-card.tsx'
import { MachineCard } from './machine-card.tsx'
import { t } from './messages.ts'
import { OperationDialog } from './operation-dialog.tsx'
import { OwnerCard } from './owner-card.tsx'

/** The settings of a server: its system, firewall and machine, whose it is, and how to end it. */
export function ConfigurationsTab({ server }: { server: Server }) {
  const shown = useActions(ServerDoctype, docOf(server))
  const actions = new Set(shown.map(({ name }) => name))
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_360px]">
      <div className="grid min-w-0 gap-4">
        <EditForm
          key={server.name}
          type={ServerDoctype}
          doc={docOf(server)}
          label={t('general.form')}
          undoable
          sections={[{ title: t('general.title'), hint: t('general.hint'), names: ['server_category'] }]}
          fields={{ server_category: { choices: categories } }}
        />
        {actions.has('set_timezone') ? <SystemCard server={server} /> : null}
        {actions.has('upgrade_easyengine') ? <UpdatesCard server={server} /> : null}
        {actions.has('firewall') ? <FirewallCard server={server} /> : null}
        {actions.has('resize') ? <MachineCard server={server} /> : null}
      </div>
      <div className="grid min-w-0 gap-4">
        <OwnerCard server={server} />
        {actions.has('reboot') ? <CareCard server={server} /> : null}
        {actions.has('decommission') ? (
          <ActionsCard title={t('danger.title')}>
            <Explained text={endText(server)}>
              <DecommissionButton server={server} />
            </Explained>
          </ActionsCard>
        ) : null}
      </div>
    </div>
  )
}

function endText({ cloud_provider: provider }: Server): string {
  if (!provider || provider === 'Custom') return t('danger.own')
  return t('danger.rented', { provider: valueLabel(ServerDoctype, 'cloud_provider', provider) })
}

const categories = serverCategories.map((value) => ({
  value,
  label: valueLabel(ServerDoctype, 'server_category', value),
}))

const docOf = (server: Server) => ({ ...server, doctype: 'Server' })

const mebibyte = 1024 ** 2

function SystemCard({ server }: { server: Server }) {
  const [choosing, setChoosing] = useState(false)
  const { timezone, total_swap: swap } = server
  return (
    <Card aria-label={t('system.title')}>
      <CardHead title={t('system.title')} />
      <CardBody className="grid gap-3">
        <DetailList
          details={[
            { label: t('system.timezone'), value: timezone ?? t('system.unknown') },
            { label: t('system.swap'), value: typeof swap === 'number' ? formatBytes(swap) : t('system.unknown') },
          ]}
        />
        <div className="flex flex-wrap gap-2">
          <ActionButton
            type={ServerDoctype}
            doc={docOf(server)}
            name="set_timezone"
            size="md"
            onStart={() => setChoosing(true)}
          />
          {/* The dialog starts with the value that applies. */}
          <ActionButton
            type={ServerDoctype}
            doc={{ ...docOf(server), megabytes: Math.round((swap ?? 0) / mebibyte) }}
            name="set_swap"
            size="md"
          />
        </div>
      </CardBody>
      {choosing ? (
        <OperationDialog
          server={server}
          name="set_timezone"
          initial={{ timezone: timezone ?? '' }}
          onClose={() => setChoosing(false)}
        >
          {(control) => (
            <FormField control={control} name="timezone" choices={timeZoneChoices(timezone ?? null)} verbatim />
          )}
        </OperationDialog>
      ) : null}
    </Card>
  )
}

function UpdatesCard({ server }: { server: Server }) {
  const { easyengine: installed } = server
  return (
    <Card aria-label={t('updates.title')}>
      <CardHead title={t('updates.title')} />
      <CardBody className="grid gap-3">
        <DetailList
          details={[
            {
              label: t('updates.easyengine'),
              value:
                installed && isEasyEngineOutdated(installed)
                  ? t('updates.outdated', { installed, newest: newestEasyEngine })
                  : (installed ?? t('system.unknown')),
            },
            { label: t('updates.pending'), value: pendingUpdates(server) ?? t('system.unknown') },
          ]}
        />
        <span>
          <ActionButton type={ServerDoctype} doc={docOf(server)} name="upgrade_easyengine" size="md" />
        </span>
        <ActionSwitch
          type={ServerDoctype}
          doc={docOf(server)}
          name="set_automatic_updates"
          on={server.automatic_updates === 1}
          label={t('updates.automatic')}
          hint={t(server.firewall ? 'updates.automatic_hint' : 'system.unknown')}
          done={(on) => t(on ? 'updates.automatic_on' : 'updates.automatic_off')}
        />
      </CardBody>
    </Card>
  )
}

function CareCard({ server }: { server: Server }) {
  return (
    <ActionsCard title={t('care.title')}>
      {(['resync', 'reboot'] as const).map((name) => (
        <Explained key={name} text={t(`care.${name}`)}>
          <ActionButton type={ServerDoctype} doc={docOf(server)} name={name} size="md" />
        </Explained>
      ))}
    </ActionsCard>
  )
}

function ActionsCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card aria-label={title}>
      <CardHead title={title} lined />
      <ul className="divide-y divide-hairline">{children}</ul>
    </Card>
  )
}

/** A line with what an action does, and its button. */
function Explained({ text, children }: { text: string; children: ReactNode }) {
  return (
    <li className="grid justify-items-start gap-2 px-4 py-3 text-table">
      <span className="text-muted">{text}</span>
      {children}
    </li>
  )
}
