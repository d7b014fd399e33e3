import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { connectionNames } from '#shared/doctypes/connections.ts'
import { EditForm } from '#web/documents/form/edit-form.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { SummaryCards } from '#web/ui/summary-cards.tsx'
import { CopyableDetail } from '#web/ui/copyable-detail.tsx'
import { DetailList } from '#web/ui/detail-list.tsx'
import { Time } from '#web/ui/time.tsx'
import { AccessTokenCard } from './access-token-card.tsx'
import { AlertRulesCard } from './alert-rules-card.tsx'
import { connectionSummary, useConnections } from './connections.ts'
import { DeleteCard } from './delete-card.tsx'
import { t } from './messages.ts'
import { ModulesCard } from './modules-card.tsx'
import { OwnerCard } from './owner-card.tsx'
import { TwoFactorCard } from './two-factor-card.tsx'

/** The organization: name, owner, modules, token and deletion. `keys`: the user can see its connections. */
export function OverviewTab({ organization, keys }: { organization: Organization; keys: boolean }) {
  const { refresh, organization: current, subscription } = useSession()
  const names = connectionNames.filter((name) => name !== 'wpc' || organization.module_wpc === 1)
  const connections = useConnections(keys).data
  return (
    <>
      {keys && connections ? <SummaryCards items={connectionSummary(connections, names, null)} /> : null}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_360px]">
        <div className="grid min-w-0 gap-4">
          <EditForm
            type={OrganizationDoctype}
            doc={{ ...organization, doctype: 'Organization' }}
            label={t('general.form')}
            fields={{ title: { label: t('general.name') } }}
            onSaved={() => void refresh()}
            sections={[
              {
                title: t('general.title'),
                names: ['title'],
                after: (
                  <>
                    <div className="grid gap-1.5">
                      <CopyableDetail label={t('general.slug')} value={organization.slug} />
                      <p className="text-meta text-muted">{t('general.slug_hint')}</p>
                    </div>
                    <DetailList
                      details={[
                        ...(subscription?.plans_enabled
                          ? [{ label: t('general.plan'), value: organization.plan }]
                          : []),
                        { label: t('general.created'), value: <Time variant="detail" value={organization.creation} /> },
                      ]}
                    />
                  </>
                ),
              },
            ]}
          />
          {keys ? <AccessTokenCard organization={organization} /> : null}
          {keys && organization.module_ee === 1 ? <AlertRulesCard organization={organization.name} /> : null}
        </div>
        <div className="grid min-w-0 gap-4">
          <OwnerCard organization={organization} />
          <ModulesCard organization={organization} />
          {keys ? <TwoFactorCard organization={organization} /> : null}
        </div>
        {/* At the end of the page, on phones too. */}
        {current?.owner ? <DeleteCard organization={organization} /> : null}
      </div>
    </>
  )
}
