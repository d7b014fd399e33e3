import { defineMethod, type Method } from '#server/contracts/method.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SubscriptionDoctype, type Subscription } from '#shared/doctypes/subscription-organization.ts'
import { AppError } from '#shared/errors.ts'
import { data, date } from '#shared/fields.ts'
import { msg } from '#shared/localized-message.ts'
import { grantedPlan, grantedPlans } from '#shared/responses/platform.ts'
import { freePlan } from '#shared/rules/plans.ts'
import { isPaid, nowOf, paidDeps, type BillingDeps } from '../deps.ts'
import { planNamed, plansIn } from '../plans.ts'
import { lockedSubscription } from './customer.ts'
import { mailAboutPayment } from './payment-mails.ts'

/** How many rows one answer has at most. */
const maxRows = 500
const dayMs = 86_400_000
const maxDays = 366

/** By which platform admins end plans that nobody pays for, when payments were turned on later. */
export function grantedPlanMethods(deps: BillingDeps): Method[] {
  return [
    defineMethod({
      name: 'easydash.api.platform.granted_plans',
      access: 'platform',
      verbs: ['GET', 'POST'],
      description: `Organizations whose plan nobody pays for, by title, at most ${maxRows}; none where nothing is paid for.`,
      returns: grantedPlans,
      async run(_params, { documents, session }) {
        if (!isPaid(deps)) return { rows: [], total: 0 }
        return documents.transaction(session, grantedIn)
      },
    }),
    defineMethod({
      name: 'easydash.api.platform.end_granted_plan',
      access: 'platform',
      verbs: ['POST'],
      description:
        'Ends a plan that nobody pays for after a day (UTC), of which its owner is told; without `until` it stays given. A payment before that day keeps it.',
      params: { organization: data({ reqd: true, length: 64 }), until: date() },
      returns: grantedPlan,
      async run({ organization: name, until = null }, { documents, session }) {
        await documents.get(session, 'Organization', name)
        const paid = paidDeps(deps)
        const ends = until === null ? null : endOf(until, nowOf(deps))
        return documents.transaction(session, async (tx) => {
          const row = await lockedSubscription(tx, name)
          const organization = await tx.get(OrganizationDoctype, name)
          const plan = organization?.plan ?? freePlan
          if (!organization || plan === freePlan || row.subscription_id !== null)
            throw new AppError('conflict', msg`${organization?.title ?? name} has no plan that was given to it.`, {
              field: 'organization',
            })
          const before = endIn(row)
          if (ends !== before || (ends !== null && row.is_grant_ending !== 1)) {
            await tx.update(
              SubscriptionDoctype,
              row.name,
              {
                cancelation_date: ends,
                is_grant_ending: ends === null ? 0 : 1,
                scheduled_plan: null,
                scheduled_date: null,
                requested_by: ends === null ? null : session.user,
              },
              { activity: false },
            )
            await tx.activity({
              action: 'platform.end_granted_plan',
              organization: name,
              reference_doctype: 'Organization',
              reference_name: name,
              reference_title: organization.title,
              before: { cancelation_date: before },
              after: { cancelation_date: ends },
            })
            if (ends !== null)
              await mailAboutPayment(paid, tx, organization, { kind: 'grant_ending', plan, until: ends })
          }
          const { plan_cost: price, currency } = planNamed(await plansIn(tx), plan)
          return {
            organization: name,
            title: organization.title,
            owner: organization._owner,
            plan,
            price,
            currency,
            ends,
          }
        })
      },
    }),
  ]
}

/** The end of a day from tomorrow on, at most a year ahead. */
function endOf(until: string, now: number): string {
  const end = Date.parse(`${until}T00:00:00Z`) + dayMs
  if (end > now + dayMs && end <= now + maxDays * dayMs) return formatTimestamp(end - 1000)
  throw new AppError('invalid', msg`The day must be after today and within a year.`, { field: 'until' })
}

/** When a plan ends, by whomever that was chosen: the owner of one can cancel it, or choose Free for the end of its period. */
const endIn = ({ scheduled_date, cancelation_date }: Pick<Subscription, 'scheduled_date' | 'cancelation_date'>) =>
  scheduled_date ?? cancelation_date

async function grantedIn(tx: Tx) {
  const payers = await tx.listFields(SubscriptionDoctype, ['name'], [['subscription_id', 'is', 'set']])
  const paid = new Set(payers.map(({ name }) => name))
  const organizations = await tx.listFields(
    OrganizationDoctype,
    ['name', 'title', '_owner', 'plan'],
    [['plan', '!=', freePlan]],
    { order_by: 'title asc' },
  )
  const given = organizations.filter(({ name, plan }) => plan !== null && !paid.has(name))
  const shown = given.slice(0, maxRows)
  const pending = await tx.listFields(
    SubscriptionDoctype,
    ['name', 'scheduled_date', 'cancelation_date'],
    [['name', 'in', shown.map(({ name }) => name)]],
  )
  const ends = new Map(pending.map((row) => [row.name, endIn(row)]))
  const plans = await plansIn(tx)
  const rows = shown.map(({ name, title, _owner, plan }) => {
    const { name: planName, plan_cost: price, currency } = planNamed(plans, plan)
    return { organization: name, title, owner: _owner, plan: planName, price, currency, ends: ends.get(name) ?? null }
  })
  return { rows, total: given.length }
}
