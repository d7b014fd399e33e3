import { mailStatuses, pictureStates } from '#shared/responses/platform.ts'
import { jobStatuses } from '#shared/doctypes/job.ts'
import { planNames } from '#shared/doctypes/organization.ts'
import {
  bitShape,
  booleanShape,
  datetimeShape,
  described,
  listShape,
  numberShape,
  objectShape,
  oneOfShape,
  orNull,
  sentenceShape,
  textShape,
  wholeShape,
  type JsonSchema,
  personShape,
} from '#shared/json-schema.ts'
import { quotaNames } from '#shared/rules/site-quotas.ts'

const byResource = (value: JsonSchema) => objectShape({ site: value, server: value })
const grantedLimits = described(byResource(orNull(wholeShape)), "Granted in place of the plan's; null = the plan's.")

const grantedQuotas = described(
  objectShape(Object.fromEntries(quotaNames.map((name) => [name, orNull(wholeShape)]))),
  'Quotas of its sites granted in place of those of their types; null = those of the type.',
)

/** Answer of a list: the rows of this page, and how many match in all. */
const pageOf = (name: string, row: JsonSchema, more: Record<string, JsonSchema> = {}) =>
  objectShape({ [name]: listShape(row), total: wholeShape, ...more })

/** Answer of `organizations`. */
export const organizationsShape = pageOf(
  'organizations',
  objectShape({
    name: textShape,
    title: textShape,
    owner: orNull(personShape),
    plan: orNull(oneOfShape(planNames)),
    limits: byResource(wholeShape),
    overrides: grantedLimits,
    usage: byResource(wholeShape),
    site_quotas: grantedQuotas,
    members: wholeShape,
    enabled: bitShape,
    local_engine: bitShape,
    modules: objectShape({ ee: booleanShape, wpc: booleanShape }),
    creation: datetimeShape,
  }),
)

/** Answers of the acts on an organization: its name and what holds now. */
export const actShapes = {
  limits: objectShape({ organization: textShape, overrides: grantedLimits }),
  quotas: objectShape({ organization: textShape, site_quotas: grantedQuotas }),
  modules: objectShape({ organization: textShape, ee: booleanShape, wpc: booleanShape }),
  granted: objectShape({ organization: textShape, granted: booleanShape }),
  enabled: objectShape({ organization: textShape, enabled: bitShape }),
} as const

/** Answer of `users`. */
export const usersShape = pageOf(
  'users',
  objectShape({
    email: personShape,
    full_name: orNull(personShape),
    enabled: bitShape,
    verified: bitShape,
    platform_user: bitShape,
    platform_admin: bitShape,
    last_sign_in: orNull(datetimeShape),
    organizations: wholeShape,
    creation: datetimeShape,
  }),
)

/** Answer of the acts on an account: what holds now. */
export const userRightsShape = objectShape({
  user: personShape,
  enabled: bitShape,
  platform_user: bitShape,
  platform_admin: bitShape,
})

const mailFields = {
  id: wholeShape,
  to: personShape,
  subject: textShape,
  kind: textShape,
  status: oneOfShape(mailStatuses),
  attempts: wholeShape,
  error: orNull(textShape),
  created: datetimeShape,
  sent: orNull(datetimeShape),
}

/** Answer of `outbox`. */
export const outboxShape = pageOf('mails', objectShape(mailFields))

/** Answer of `outbox_mail`. */
export const mailShape = objectShape({ ...mailFields, text: textShape, html: textShape })

/** Answer of `jobs`. */
export const jobsShape = pageOf(
  'jobs',
  objectShape({
    name: textShape,
    organization: textShape,
    job_type: textShape,
    label: orNull(textShape),
    status: oneOfShape(jobStatuses),
    percent: orNull(wholeShape),
    reference_doctype: orNull(textShape),
    reference_name: orNull(textShape),
    reference_title: orNull(textShape),
    attempt: orNull(wholeShape),
    owner: personShape,
    creation: datetimeShape,
    started: orNull(datetimeShape),
    ended: orNull(datetimeShape),
    error_code: orNull(textShape),
    error_message: orNull(textShape),
    error_message_parts: orNull(sentenceShape),
    next_action: orNull(textShape),
    next_action_parts: orNull(sentenceShape),
  }),
  { counts: objectShape(Object.fromEntries(jobStatuses.map((status) => [status, wholeShape]))) },
)

const seconds = orNull(wholeShape)

/** Answer of `health`. */
export const healthShape = objectShape({
  ok: described(booleanShape, 'False when database, migrations, disk, queue or mail are not.'),
  version: textShape,
  node: textShape,
  uptime_seconds: wholeShape,
  database: objectShape({
    ok: booleanShape,
    took_ms: numberShape,
    version: orNull(textShape),
    size_bytes: orNull(wholeShape),
    connections: orNull(wholeShape),
  }),
  migrations: objectShape({ ok: booleanShape, schema_version: wholeShape }),
  disk: objectShape({ ok: booleanShape, free_bytes: orNull(wholeShape), total_bytes: orNull(wholeShape) }),
  memory: objectShape({
    process_bytes: wholeShape,
    heap_bytes: wholeShape,
    system_free_bytes: wholeShape,
    system_total_bytes: wholeShape,
  }),
  queue: objectShape({
    ok: booleanShape,
    queued: wholeShape,
    running: wholeShape,
    lost_contact: wholeShape,
    failed_24h: wholeShape,
    oldest_queued_seconds: seconds,
  }),
  wordpress_cache: described(
    orNull(objectShape({ versions: listShape(textShape), fallback: booleanShape, last_try: orNull(datetimeShape) })),
    'Versions at hand, newest first: new sites get the first. `fallback`: that one is from the package registry and not the newest, because no newer one could be fetched from wordpress.org; `last_try`: when one was last looked for there, null for not since the start. Null where this process makes no sites.',
  ),
  pictures: described(
    orNull(objectShape({ state: oneOfShape(pictureStates), next_try: orNull(datetimeShape) })),
    'Whether pictures of sites are taken: `on`, `off` by setting, no browser (`missing`), or one that does not start, with when it is tried again. Null where this process has no sites.',
  ),
  mail: objectShape({
    ok: booleanShape,
    smtp: booleanShape,
    queued: wholeShape,
    failed: wholeShape,
    kept: wholeShape,
    oldest_queued_seconds: seconds,
  }),
  errors: described(
    orNull(objectShape({ since_start: wholeShape, last_hour: wholeShape, last_at: orNull(textShape) })),
    'Errors this process wrote to its log.',
  ),
})
