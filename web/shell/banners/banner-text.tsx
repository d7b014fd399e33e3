import type { ReactNode } from 'react'
import { Link } from '#web/lib/routing/router.tsx'
import { usePeople } from '#web/documents/people.ts'
import { createCatalog } from '#web/lib/i18n/catalog.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { formatMoney } from '#web/lib/i18n/format.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { StatusMark } from '#web/ui/images/status-marks.tsx'
import type { Banner } from './banner-choice.ts'
import { bannerStyle } from './banner-style.ts'

const t = createCatalog({
  // [F]
  canceled_title: 'Plan Expiring Soon:',
  canceled: "Your plan has been cancelled. You'll retain access until {date}.",
  canceled_back: 'Changed your mind?',
  reactivate: 'Reactivate',
  // Our own texts
  given: 'Your plan is free of charge until {date}. Then it becomes Free, unless it is paid for.',
  failed_title: 'Payment failed:',
  failed: '{amount} could not be charged.',
  failed_until: '{amount} could not be charged. If it is not paid by {date}, you move to Free. Nothing is deleted.',
  failed_link: 'Update payment method',
  authentication_needed_title: 'Payment not confirmed:',
  authentication_needed: 'Your bank wants you to confirm {amount}.',
  authentication_needed_until: 'Your bank wants you to confirm {amount} by {date}.',
  authentication_needed_link: 'Confirm payment',
  over_site: '{used} sites, and the {plan} plan allows {limit}. They stay as they are; no new one can be created.',
  over_server: '{used} servers, and the {plan} plan allows {limit}. They stay as they are; no new one can be created.',
  granted_site:
    '{used} sites, and the platform admin granted {limit}. They stay as they are; no new one can be created.',
  granted_server:
    '{used} servers, and the platform admin granted {limit}. They stay as they are; no new one can be created.',
  plans: 'See plans',
  ask: 'Ask {owner} for a bigger plan.',
  ask_back: 'Ask {owner} to reactivate it.',
  update: 'There is a new version of the app.',
  reload: 'Reload',
})

const linkStyle = 'font-medium underline underline-offset-3'

/** Text and action of a banner. Actions that only the owner can take are shown only to the owner. */
export function BannerText({ banner }: { banner: Exclude<Banner, { kind: 'offline' }> }) {
  switch (banner.kind) {
    case 'payment':
      return <OpenPayment {...banner} />
    case 'canceled':
      return <CanceledPlan date={banner.date} />
    case 'over_limit': {
      const { used, limit, plan } = banner
      return (
        <Line tone="bad">
          {plan === null ? (
            t(`granted_${banner.resource}`, { used, limit })
          ) : (
            <>
              {t(`over_${banner.resource}`, { used, limit, plan })} <AskForPlan />
            </>
          )}
        </Line>
      )
    }
    case 'update':
      return (
        <Line tone="info">
          {t('update')}{' '}
          <button type="button" className={linkStyle} onClick={() => location.reload()}>
            {t('reload')}
          </button>
        </Line>
      )
  }
}

function Line({ tone, children }: { tone: 'warn' | 'bad' | 'info'; children: ReactNode }) {
  return (
    <span className={bannerStyle(tone)}>
      <StatusMark tone={tone} className="shrink-0" />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </span>
  )
}

/** A payment that is due, and where the owner, who alone hears of it, sees to it. */
function OpenPayment({ state, amount: due, currency, date }: Extract<Banner, { kind: 'payment' }>) {
  const amount = formatMoney(due, currency)
  return (
    <Line tone={state === 'failed' ? 'bad' : 'warn'}>
      <b className="font-semibold">{t(`${state}_title`)}</b>{' '}
      {date === null ? t(state, { amount }) : t(`${state}_until`, { amount, date: formatDay(date) })}{' '}
      <Link to={state === 'failed' ? '/billing#payment-methods' : '/billing#plans'} className={linkStyle}>
        {t(`${state}_link`)}
      </Link>
    </Line>
  )
}

function CanceledPlan({ date }: { date: string }) {
  const { organization, subscription } = useSession()
  if (subscription?.is_grant_ending)
    return (
      <Line tone="warn">
        <b className="font-semibold">{t('canceled_title')}</b> {t('given', { date: formatDay(date) })}{' '}
        {organization?.owner ? <AskForPlan /> : null}
      </Line>
    )
  return (
    <Line tone="warn">
      <b className="font-semibold">{t('canceled_title')}</b> {t('canceled', { date: formatDay(date) })}
      {organization?.owner ? (
        <>
          {' '}
          {t('canceled_back')}{' '}
          <Link to="/billing#plans" className={linkStyle}>
            {t('reactivate')}
          </Link>
        </>
      ) : (
        <>
          {' '}
          <AskOwner what="ask_back" />
        </>
      )}
    </Line>
  )
}

/** How to raise the limit: a link to the plans for the owner, the owner's name for others. */
function AskForPlan() {
  const { organization } = useSession()
  if (!organization?.owner) return <AskOwner what="ask" />
  return (
    <Link to="/billing#plans" className={linkStyle}>
      {t('plans')}
    </Link>
  )
}

/** Names the owner. */
function AskOwner({ what }: { what: 'ask' | 'ask_back' }) {
  const { subscription } = useSession()
  const nameOf = usePeople([subscription?.user])
  return subscription?.user ? t(what, { owner: nameOf(subscription.user) }) : null
}
