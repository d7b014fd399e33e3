import type { jobStatuses } from '../doctypes/job.ts'
import type { SentenceParts } from '../sentence.ts'
import type { ByResource, PlanName } from '../rules/plans.ts'
import type { quotaNames } from '../rules/site-quotas.ts'

/** An organization as the platform admin sees it in `organizations`: figures and switches, nothing of its content. */
export interface PlatformOrganization {
  readonly name: string
  readonly title: string
  readonly owner: string | null
  readonly plan: PlanName | null
  readonly limits: ByResource
  /** Granted in place of the plan's; null = the plan's. */
  readonly overrides: ByResource<number | null>
  readonly usage: ByResource
  /** Quotas of its sites granted in place of those of their types; null = those of the type. */
  readonly site_quotas: Readonly<Record<(typeof quotaNames)[number], number | null>>
  readonly members: number
  readonly enabled: 0 | 1
  readonly local_engine: 0 | 1
  readonly modules: { readonly ee: boolean; readonly wpc: boolean }
  readonly creation: string
}

/** An account as the platform admin sees it in `users`. */
export interface PlatformUser {
  readonly email: string
  readonly full_name: string | null
  readonly enabled: 0 | 1
  /** The e-mail address was verified. */
  readonly verified: 0 | 1
  /** Has the role 'Easydash User'; without it only the own account works. */
  readonly platform_user: 0 | 1
  readonly platform_admin: 0 | 1
  /** Last sign-in; null for never. */
  readonly last_sign_in: string | null
  /** How many organizations the person is in. */
  readonly organizations: number
  readonly creation: string
}

/** States of a mail; `Printed`: kept, because there is no SMTP server. */
export const mailStatuses = ['Queued', 'Sending', 'Sent', 'Printed', 'Failed'] as const

/** A mail as `outbox` lists it: without its content, whose links are secrets. */
export interface OutboxMail {
  readonly id: number
  readonly to: string
  readonly subject: string
  readonly kind: string
  readonly status: (typeof mailStatuses)[number]
  readonly attempts: number
  readonly error: string | null
  readonly created: string
  readonly sent: string | null
}

/** A mail with its content; both texts are empty once it was handed to an SMTP server. */
export interface WholeMail extends OutboxMail {
  readonly text: string
  readonly html: string
}

/** A job as `jobs` lists it. Its arguments are not shown: they are between the features and their steps. */
export interface PlatformJob {
  readonly name: string
  readonly organization: string
  readonly job_type: string
  readonly label: string | null
  readonly status: (typeof jobStatuses)[number]
  readonly percent: number | null
  readonly reference_doctype: string | null
  readonly reference_name: string | null
  readonly reference_title: string | null
  readonly attempt: number
  readonly owner: string
  readonly creation: string
  readonly started: string | null
  readonly ended: string | null
  readonly error_code: string | null
  readonly error_message: string | null
  readonly error_message_parts: SentenceParts | null
  readonly next_action: string | null
  readonly next_action_parts: SentenceParts | null
}

/** Whether pictures of sites are taken, and if not, why. */
export const pictureStates = ['on', 'off', 'missing', 'sandbox', 'broken'] as const

/** The same with when a browser that does not start is tried again; a stored moment. */
export interface PicturesHealth {
  readonly state: (typeof pictureStates)[number]
  readonly next_try: string | null
}

/** Which WordPress new sites get: the first of `versions`. */
export interface WordPressHealth {
  /** Newest first. */
  readonly versions: readonly string[]
  /** The first is not the newest there is: none newer could be fetched from wordpress.org. */
  readonly fallback: boolean
  /** When one was last looked for there, a stored moment; null: not since the start. */
  readonly last_try: string | null
}

/** What `health` answers. */
export interface Health {
  readonly ok: boolean
  readonly version: string
  readonly node: string
  readonly uptime_seconds: number
  readonly database: {
    readonly ok: boolean
    readonly took_ms: number
    readonly version: string | null
    readonly size_bytes: number | null
    readonly connections: number | null
  }
  readonly migrations: { readonly ok: boolean; readonly schema_version: number }
  readonly disk: { readonly ok: boolean; readonly free_bytes: number | null; readonly total_bytes: number | null }
  readonly memory: {
    readonly process_bytes: number
    readonly heap_bytes: number
    readonly system_free_bytes: number
    readonly system_total_bytes: number
  }
  readonly queue: {
    readonly ok: boolean
    readonly queued: number
    readonly running: number
    readonly lost_contact: number
    readonly failed_24h: number
    readonly oldest_queued_seconds: number | null
  }
  /** Null where this process makes no sites. */
  readonly wordpress_cache: WordPressHealth | null
  /** Null where this process has no sites. No fault: nothing depends on them. */
  readonly pictures: PicturesHealth | null
  readonly mail: {
    readonly ok: boolean
    readonly smtp: boolean
    readonly queued: number
    readonly failed: number
    readonly kept: number
    readonly oldest_queued_seconds: number | null
  }
  readonly errors: { readonly since_start: number; readonly last_hour: number; readonly last_at: string | null } | null
}
