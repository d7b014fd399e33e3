import { doctype, type Doc } from '../doctype.ts'
import { float, int, select, text } from '../fields.ts'
import { planCurrencies, planNames } from '../rules/plans.ts'

/** Maximum value of a site or server limit: far above any installation, and safe in every number type. */
const maxTotal = 1_000_000

/**
 * A plan of this installation: its limits and its price. The six names are fixed; the platform admin edits the rest. Default
 * values: `shared/rules/plans.ts`.
 */
export const PlanDoctype = doctype('Plan', {
  module: 'core',
  tenant: { kind: 'platform' },
  naming: 'field:plan_name',
  title_field: 'plan_name',
  plural: 'Plans',
  seeded: true,
  fields: {
    plan_name: select(planNames, { reqd: true, set_only_once: true, in_list_view: true, label: 'Plan' }),
    /** Order in lists, cheapest first. */
    position: int({ read_only: true, default: 0 }),
    site_limit: int({
      reqd: true,
      default: 0,
      min: -1,
      max: maxTotal,
      in_list_view: true,
      label: 'Sites',
      description: '0 means no limit',
    }),
    server_limit: int({
      reqd: true,
      default: 0,
      min: -1,
      max: maxTotal,
      in_list_view: true,
      label: 'Servers',
      description: '0 means no limit',
    }),
    plan_cost: float({
      min: 0,
      max: 1_000_000,
      in_list_view: true,
      label: 'Price',
      description: 'Per month; if empty, on request',
    }),
    currency: select(planCurrencies, { reqd: true, default: 'EUR' }),
    features: text({
      refuses_card_numbers: true,
      length: 2000,
      description: 'Advertised features, one per line',
    }),
  },
  list: { order_by: 'position asc' },
  permissions: {
    'Platform Admin': { read: true, write: true },
    User: { read: true },
  },
})

/** A plan as stored. */
export type PlanDoc = Doc<typeof PlanDoctype>
