import { lazy } from 'react'
import { billingTabs as tabs } from '#web/lib/routing/page-tabs.ts'
import { useHashTab } from '#web/lib/routing/use-hash-tab.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { PageHead } from '#web/ui/page-head.tsx'
import { TabPanel, Tabs } from '#web/ui/tabs.tsx'
import { t } from './messages.ts'
import { ProfileTab } from './profile-tab.tsx'
import { useSubscription } from './subscription.ts'

const PlansTab = lazy(() => import('./plans-tab.tsx').then((module) => ({ default: module.PlansTab })))
const PaymentsTab = lazy(() => import('./payments-tab.tsx').then((module) => ({ default: module.PaymentsTab })))
const BillingActivities = lazy(() =>
  import('./billing-activities.tsx').then((module) => ({ default: module.BillingActivities })),
)

/** The owner's plan, invoices and billing profile. */
export function BillingPage() {
  const { subscription: known } = useSession()
  const [tab, openTab] = useHashTab(tabs)
  const subscription = useSubscription()
  const { status } = subscription
  const plansEnabled = status?.plans_enabled ?? known?.plans_enabled ?? false
  if (!plansEnabled)
    return (
      <>
        <PageHead title={t('billing.title')} subtitle={known || status ? t('billing.subtitle_without_plans') : null} />
        <ProfileTab />
      </>
    )
  return (
    <>
      <PageHead title={t('billing.title')} subtitle={t('billing.subtitle_free')} />
      <Tabs
        label={t('billing.tabs')}
        tabs={tabs.map((id) => ({ id, label: t(`billing.${id}`) }))}
        current={tab}
        onChange={(id) => openTab(tabs.find((known) => known === id) ?? tabs[0])}
      />
      <TabPanel id={tab}>
        {tab === 'profile' ? (
          <ProfileTab />
        ) : tab === 'plans' ? (
          <PlansTab subscription={subscription} />
        ) : tab === 'activities' ? (
          <BillingActivities />
        ) : (
          <PaymentsTab about={tab} />
        )}
      </TabPanel>
    </>
  )
}
