import { useState } from 'react'
import { useWatch } from 'react-hook-form'
import { organizationsPage, type PlatformOrganization } from '#shared/responses/platform.ts'
import { freePlan, planNames } from '#shared/rules/plans.ts'
import { modules } from '#shared/rules/modules.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { Drawer } from '#web/ui/overlay/drawer.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { DetailList } from '#web/ui/detail-list.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Switch } from '#web/ui/form/switch.tsx'
import { Time } from '#web/ui/time.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { CopyMethodButton } from './copy-method-button.tsx'
import { LimitsForm } from './limits-form.tsx'
import { AccessSection } from './organization-access.tsx'
import { Section } from './organization-section.tsx'
import { platformMethod } from './methods.ts'
import { usePlansEnabled } from './platform-settings.ts'
import { t } from './messages.ts'
import { QuotaForm } from './quota-form.tsx'
import { usePlatformMethod, type PlatformMethodRunner } from './use-platform-method.ts'

/**
 * Settings of an organization for platform admins. Closed if `name` is null. `shown` is its row if it is on the current
 * page.
 */
export function OrganizationDrawer({
  name,
  shown,
  onClose,
  onChanged,
}: {
  name: string | null
  shown: PlatformOrganization | undefined
  onClose: () => void
  onChanged: () => Promise<void>
}) {
  // The URL can name one that isn't on the current page.
  const elsewhere = useMethod(
    name !== null && !shown ? platformMethod('organizations') : null,
    { txt: name ?? '', limit: 500 },
    { returns: organizationsPage },
  )
  const organization = shown ?? elsewhere.data?.organizations.find((row) => row.name === name)
  const runner = usePlatformMethod(() => Promise.all([onChanged(), elsewhere.reload()]))
  return (
    <Drawer
      open={name !== null}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={organization?.title ?? name ?? ''}
      head={organization ? <p className="mt-0.5 text-table text-muted">{organization.name}</p> : null}
    >
      <div className="grid gap-6 p-5">
        {organization ? (
          <OrganizationActions key={organization.name} organization={organization} runner={runner} />
        ) : elsewhere.error ? (
          <ErrorPanel title={t('organizations.error')} error={elsewhere.error} onRetry={() => elsewhere.reload()} />
        ) : elsewhere.data ? (
          <p className="text-muted">{t('organizations.missing')}</p>
        ) : (
          <Skeleton className="h-40 w-full rounded-card" />
        )}
      </div>
    </Drawer>
  )
}

/** Payments, refunds and disputes are the provider's to show. */
function CustomerLink({ url }: { url: string }) {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className="link">
      {t('organizations.customer')}
    </a>
  )
}

function OrganizationActions({
  organization,
  runner,
}: {
  organization: PlatformOrganization
  runner: PlatformMethodRunner
}) {
  const { name, title, usage } = organization
  const plansEnabled = usePlansEnabled()
  return (
    <>
      <Notice tone="info">{t('organizations.activity', { title })}</Notice>
      <DetailList
        details={[
          { label: t('organizations.owner'), value: organization.owner ?? t('common.none') },
          { label: t('organizations.members'), value: formatNumber(organization.members) },
          { label: t('organizations.sites'), value: formatNumber(usage.site) },
          { label: t('organizations.servers'), value: formatNumber(usage.server) },
          ...(organization.customer_url === null
            ? []
            : [{ label: t('health.payments'), value: <CustomerLink url={organization.customer_url} /> }]),
          { label: t('organizations.created'), value: <Time variant="detail" value={organization.creation} /> },
        ]}
      />
      {plansEnabled ? (
        <>
          <PlanSection organization={organization} runner={runner} />
          <Section title={t('limits.title')} hint={t('limits.hint')}>
            <LimitsForm
              // Resets the form when the stored limits change.
              key={JSON.stringify(organization.overrides)}
              organization={organization}
              runner={runner}
            />
          </Section>
        </>
      ) : null}
      <Section title={t('quotas.granted')} hint={t('quotas.granted_hint')}>
        <QuotaForm key={JSON.stringify(organization.site_quotas)} organization={organization} runner={runner} />
      </Section>
      <Section title={t('modules.title')} hint={t('modules.hint')}>
        <div className="flex items-center gap-1">
          <div className="grid justify-items-start gap-1">
            {modules.map((module) => (
              <Toggle
                key={module}
                label={t(`modules.${module}`)}
                checked={organization.modules[module]}
                onChange={(on) =>
                  runner.run(
                    'set_modules',
                    {
                      organization: name,
                      ee: Number(module === 'ee' ? on : organization.modules.ee),
                      wpc: Number(module === 'wpc' ? on : organization.modules.wpc),
                    },
                    t(on ? 'modules.on' : 'modules.off', { module: t(`modules.${module}`) }),
                  )
                }
              />
            ))}
          </div>
          <CopyMethodButton
            action={t('modules.title')}
            method="set_modules"
            params={{ organization: name, ee: Number(organization.modules.ee), wpc: Number(organization.modules.wpc) }}
          />
        </div>
      </Section>
      <Section title={t('engine.title')} hint={t('engine.hint')}>
        <div className="flex items-center justify-self-start gap-1">
          <Toggle
            label={t('engine.label')}
            checked={organization.local_engine === 1}
            onChange={(on) =>
              runner.run(
                'grant_local_engine',
                { organization: name, granted: Number(on) },
                t(on ? 'engine.granted' : 'engine.ended'),
              )
            }
          />
          <CopyMethodButton
            action={t('engine.label')}
            method="grant_local_engine"
            params={{ organization: name, granted: organization.local_engine === 1 ? 0 : 1 }}
          />
        </div>
      </Section>
      <Section title={t('vip.title')} hint={t('vip.hint')}>
        <div className="flex items-center justify-self-start gap-1">
          <Toggle
            label={t('vip.label')}
            checked={organization.vip === 1}
            onChange={(on) =>
              runner.run(
                'set_vip',
                { organization: name, enabled: Number(on) },
                t(on ? 'modules.on' : 'modules.off', { module: t('vip.label') }),
              )
            }
          />
          <CopyMethodButton
            action={t('vip.label')}
            method="set_vip"
            params={{ organization: name, enabled: organization.vip === 1 ? 0 : 1 }}
          />
        </div>
      </Section>
      <AccessSection organization={organization} runner={runner} />
    </>
  )
}

function PlanSection({ organization, runner }: { organization: PlatformOrganization; runner: PlatformMethodRunner }) {
  const form = useApiForm({
    defaultValues: { plan: organization.plan ?? freePlan },
    send: (values) =>
      runner.run('set_plan', { organization: organization.name, ...values }, t('plan.done', { plan: values.plan })),
  })
  const plan = useWatch({ control: form.control, name: 'plan' })
  return (
    <Section title={t('organizations.plan')} hint={t('plan.hint')}>
      <form {...form.props} className="flex flex-wrap items-end gap-2">
        <Field label={t('organizations.plan')} className="min-w-40 flex-1">
          <Select {...form.register('plan')} value={plan}>
            {planNames.map((known) => (
              <option key={known}>{known}</option>
            ))}
          </Select>
        </Field>
        <Button type="submit" busy={form.busy} disabled={plan === (organization.plan ?? freePlan)}>
          {t('plan.set')}
        </Button>
        <CopyMethodButton action={t('plan.set')} method="set_plan" params={{ organization: organization.name, plan }} />
      </form>
    </Section>
  )
}

/** A switch that updates optimistically and reverts on a denial. */
function Toggle({
  label,
  checked,
  onChange,
}: {
  label: string
  checked: boolean
  onChange: (on: boolean) => Promise<string | null>
}) {
  const [wanted, setWanted] = useState<boolean | null>(null)
  return (
    <Switch
      label={label}
      checked={wanted ?? checked}
      disabled={wanted !== null}
      onChange={(on) => {
        setWanted(on)
        void onChange(on).finally(() => setWanted(null))
      }}
    />
  )
}
