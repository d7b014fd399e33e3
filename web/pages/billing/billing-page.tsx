import { lazy, type ReactNode } from 'react'
import { billingTabsOf, type BillingTab } from '#web/lib/routing/page-tabs.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { useHashTab } from '#web/lib/routing/use-hash-tab.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { PageHead } from '#web/ui/page-head.tsx'
import { TabPanel, Tabs } from '#web/ui/tabs.tsx'
import { providerLabel } from './cards/provider-label.ts'
import { t } from './messages.ts'
import { ProfileTab } from './profile-tab.tsx'
import { useSubscription } from './subscription.ts'

const PlansTab = lazy(() => import('./plans-tab.tsx').then((module) => ({ default: module.PlansTab })))
const PurchasesTab = lazy(() =>
  import('./invoices/purchases-tab.tsx').then((module) => ({ default: module.PurchasesTab })),
)
const InvoicesTab = lazy(() =>
  import('./invoices/invoices-tab.tsx').then((module) => ({ default: module.InvoicesTab })),
)
const PaymentMethodsTab = lazy(() =>
  import('./cards/payment-methods-tab.tsx').then((module) => ({ default: module.PaymentMethodsTab })),
)
const BillingActivities = lazy(() =>
  import('./billing-activities.tsx').then((module) => ({ default: module.BillingActivities })),
)

/** The owner's plan, invoices and billing profile. */
export function BillingPage() {
  const { subscription: known, organization, platformAdmin } = useSession()
  const subscription = useSubscription()
  const { status } = subscription
  const provider = (status ?? known)?.payment_provider ?? null
  const tabs = billingTabsOf(provider !== null)
  const [tab, openTab] = useHashTab(tabs)
  const plansEnabled = status?.plans_enabled ?? known?.plans_enabled ?? false
  if (!plansEnabled)
    return (
      <>
        <PageHead title={t('billing.title')} />
        {known || status ? (
          <p>
            {t('billing.without_plans')}{' '}
            {platformAdmin ? (
              <Link to="/platform#plans" className="link">
                {t('billing.manage_plans')}
              </Link>
            ) : null}
          </p>
        ) : null}
      </>
    )
  const panels: Readonly<Record<BillingTab, () => ReactNode>> = {
    profile: () => <ProfileTab hasInvoices={provider !== null} />,
    purchases: () => <PurchasesTab />,
    invoices: () => <InvoicesTab />,
    'payment-methods': () =>
      provider && <PaymentMethodsTab provider={provider} onChanged={() => subscription.reload()} />,
    plans: () => <PlansTab subscription={subscription} />,
    activities: () => <BillingActivities />,
  }
  return (
    <>
      <PageHead
        title={t('billing.title')}
        subtitle={
          provider === null
            ? t('billing.subtitle_free')
            : status &&
              t('billing.subtitle_paid', {
                organization: organization?.title ?? '',
                currency: status.currency,
                provider: providerLabel(provider),
              })
        }
      />
      <Tabs
        label={t('billing.tabs')}
        tabs={tabs.map((id) => ({ id, label: t(`billing.${id}`) }))}
        current={tab}
        onChange={(id) => openTab(tabs.find((known) => known === id) ?? tabs[0])}
      />
      <TabPanel id={tab}>{panels[tab]()}</TabPanel>
    </>
  )
}
