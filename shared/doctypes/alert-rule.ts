import { doctype, type Doc } from '../doctype.ts'
import { check, data, float, int, link, select } from '../fields.ts'
import { alertMetrics, longestHold } from '../rules/alert-rules.ts'
import { severities } from '../rules/notification-events.ts'

const all = { read: true, create: true, write: true, delete: true } as const

/** When a server needs a look: of one server, or of all servers of an organization that have none of their own. */
export const AlertRuleDoctype = doctype('Alert Rule', {
  module: 'ee',
  tenant: { kind: 'link', field: 'organization' },
  area: 'servers',
  naming: 'random',
  title_field: 'metric',
  plural: 'Alert rules',
  fields: {
    organization: link('Organization', { reqd: true, set_only_once: true }),
    /** Name of a server; null: all servers of the organization. No link: a server is deleted with its rules. */
    server: data({ set_only_once: true, in_standard_filter: true, length: 10 }),
    metric: select(alertMetrics, { reqd: true, set_only_once: true, in_standard_filter: true, in_list_view: true }),
    enabled: check({ default: 1 }),
    /** Percent, the load of one processor, or days. */
    threshold: float({ reqd: true, default: 0, min: 0, max: 100 }),
    minutes: int({ reqd: true, default: 5, min: 0, max: longestHold, label: 'For minutes' }),
    severity: select(severities, { reqd: true, default: 'warning' }),
  },
  list: { order_by: 'creation asc', filter_fields: ['server', 'metric'] },
  indexes: [
    { fields: ['organization', 'metric'], unique: true, where: 'server is null' },
    { fields: ['server', 'metric'], unique: true, where: 'server is not null' },
  ],
  permissions: {
    Owner: all,
    'Organization Admin': all,
    'Organization Manager': { read: true },
  },
})

/** A rule. */
export type AlertRule = Doc<typeof AlertRuleDoctype>
