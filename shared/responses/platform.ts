import * as z from 'zod/mini'
import { jobStatuses } from '../rules/job-statuses.ts'
import { planNames } from '../rules/plans.ts'
import { mailStatuses } from '../rules/mail-statuses.ts'
import { quotaNames } from '../rules/site-quotas.ts'
import { bit, described, person, messageDescriptor, timestamp } from '../schema.ts'

const limits = z.object({ site: z.int(), server: z.int() })
const grantedLimits = described(
  z.object({ site: z.nullable(z.int()), server: z.nullable(z.int()) }),
  "Granted in place of the plan's; null = the plan's.",
)
const grantedQuotas = described(
  z.record(z.enum(quotaNames), z.nullable(z.int())),
  'Quotas of its sites granted in place of those of their types; null = those of the type.',
)

/** An organization as the platform admin sees it: metrics and switches, none of its content. */
const platformOrganization = z.object({
  name: z.string(),
  title: z.string(),
  owner: z.nullable(person),
  plan: z.nullable(z.enum(planNames)),
  limits,
  overrides: grantedLimits,
  usage: limits,
  site_quotas: grantedQuotas,
  members: z.int(),
  enabled: bit,
  local_engine: bit,
  vip: described(bit, 'Has the template of WordPress VIP'),
  modules: z.object({ ee: z.boolean(), wpc: z.boolean() }),
  customer_url: described(
    z.nullable(z.string()),
    'Its customer at the payment provider, for who may sign in there; null if it has none',
  ),
  creation: timestamp,
})

/** An organization in `organizations`. */
export type PlatformOrganization = z.infer<typeof platformOrganization>

/** What `organizations` returns. `total` is the number of matches. */
export const organizationsPage = z.object({ organizations: z.array(platformOrganization), total: z.int() })

/** A plan that nobody pays for. */
export const grantedPlan = z.object({
  organization: z.string(),
  title: z.string(),
  owner: z.nullable(person),
  plan: z.enum(planNames),
  price: described(z.nullable(z.number()), 'Per month, in units of the currency; null = on request'),
  currency: z.string(),
  ends: described(z.nullable(timestamp), 'When it becomes Free; null = it stays given'),
})

/** What `granted_plans` returns. */
export const grantedPlans = z.object({ rows: z.array(grantedPlan), total: z.int() })

/** What the actions on an organization return: its name and the new values. */
export const organizationActions = {
  limits: z.object({ organization: z.string(), overrides: grantedLimits }),
  quotas: z.object({ organization: z.string(), site_quotas: grantedQuotas }),
  modules: z.object({ organization: z.string(), ee: z.boolean(), wpc: z.boolean() }),
  granted: z.object({ organization: z.string(), granted: z.boolean() }),
  enabled: z.object({ organization: z.string(), enabled: bit }),
} as const

/** An account as the platform admin sees it. */
const platformUser = z.object({
  email: person,
  full_name: z.nullable(person),
  enabled: bit,
  verified: described(bit, 'The email address was verified'),
  platform_user: described(bit, "Has the role 'Easydash User'; without it only the own account works"),
  platform_admin: bit,
  last_sign_in: described(z.nullable(timestamp), 'Null for never'),
  organizations: described(z.int(), 'Number of organizations of the user'),
  creation: timestamp,
})

/** An account in `users`. */
export type PlatformUser = z.infer<typeof platformUser>

/** What `users` returns. `total` is the number of matches. */
export const usersPage = z.object({ users: z.array(platformUser), total: z.int() })

/** What the actions on an account return: the new values. */
export const userRights = z.object({ user: person, enabled: bit, platform_user: bit, platform_admin: bit })

const mailFields = {
  id: z.int(),
  to: person,
  subject: z.string(),
  kind: z.string(),
  status: z.enum(mailStatuses),
  attempts: z.int(),
  error: z.nullable(z.string()),
  created: timestamp,
  sent: z.nullable(timestamp),
}

const outboxMail = z.object(mailFields)

/** A mail in `outbox`, without its content, which contains secret links. */
export type OutboxMail = z.infer<typeof outboxMail>

/** What `outbox` returns. `total` is the number of matches. */
export const outboxPage = z.object({ mails: z.array(outboxMail), total: z.int() })

/** What `outbox_mail` returns. Both texts are empty once the mail was passed to an SMTP server. */
export const mailWithContent = z.object({ ...mailFields, text: z.string(), html: z.string() })

/** A mail with its content. */
export type MailWithContent = z.infer<typeof mailWithContent>

/** A job as the platform admin sees it, without its arguments, which are internal to the feature. */
const platformJob = z.object({
  name: z.string(),
  organization: z.string(),
  job_type: z.string(),
  label: z.nullable(z.string()),
  status: z.enum(jobStatuses),
  percent: z.nullable(z.int()),
  reference_doctype: z.nullable(z.string()),
  reference_name: z.nullable(z.string()),
  reference_title: z.nullable(z.string()),
  attempt: z.nullable(z.int()),
  owner: person,
  creation: timestamp,
  started: z.nullable(timestamp),
  ended: z.nullable(timestamp),
  error_code: z.nullable(z.string()),
  error_message: z.nullable(z.string()),
  error_message_i18n: z.nullable(messageDescriptor),
  next_action: z.nullable(z.string()),
  next_action_i18n: z.nullable(messageDescriptor),
})

/** A job in `jobs`. */
export type PlatformJob = z.infer<typeof platformJob>

/** What `jobs` returns. `total` is the number of matches, `counts` the number per state. */
export const jobsPage = z.object({
  jobs: z.array(platformJob),
  total: z.int(),
  counts: z.record(z.enum(jobStatuses), z.int()),
})
