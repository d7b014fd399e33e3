import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { PlanDoctype, type PlanDoc } from '#shared/doctypes/plan.ts'
import { defaultPlans, freePlan, type Plan } from '#shared/rules/plans.ts'

/** The stored plans, cheapest first. Plans that are not stored yet have their defaults. */
export async function plansIn(tx: Tx): Promise<readonly Plan[]> {
  const rows = await tx.list(PlanDoctype, [])
  const stored = new Map(rows.map((row) => [row.plan_name, planOf(row)]))
  return defaultPlans.map((plan) => stored.get(plan.name) ?? plan)
}

/** A plan by name; the free plan if the name is unknown or missing. */
export function planNamed(plans: readonly Plan[], name: string | null): Plan {
  const found = plans.find((plan) => plan.name === name) ?? plans.find((plan) => plan.name === freePlan)
  if (!found) throw new Error(`There is no plan ${freePlan}.`)
  return found
}

function planOf(row: PlanDoc): Plan {
  return {
    name: row.plan_name,
    resource_limits: { site: row.site_limit, server: row.server_limit },
    plan_cost: row.plan_cost,
    currency: row.currency,
    features: (row.features ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  }
}

/** Stores missing plans. Existing ones keep the platform admin's changes. */
export async function seedPlans(tx: Tx): Promise<void> {
  await transactionLock(tx, 'plans')
  for (const [at, { name, resource_limits, plan_cost, currency }] of defaultPlans.entries()) {
    if (await tx.get(PlanDoctype, name)) continue
    const values = {
      plan_name: name,
      position: at + 1,
      site_limit: resource_limits.site,
      server_limit: resource_limits.server,
      plan_cost,
      currency,
    }
    await tx.insert(PlanDoctype, values, { activity: false })
  }
}
