import type { PlanName } from '#shared/rules/plans.ts'
import type { ByResource } from '#shared/rules/plans.ts'

/** Full name of a method of the platform admin. */
export const platformMethod = (name: string): string => `easydash.api.platform.${name}`

/** A page of rows; `total` counts all that match. */
export type PageOf<Name extends string, Row> = { readonly [K in Name]: readonly Row[] } & { readonly total: number }

/** An organization as `organizations` lists it. */
export interface PlatformOrganization {
  readonly name: string
  readonly title: string
  readonly owner: string | null
  readonly plan: PlanName | null
  readonly limits: ByResource
  /** Granted in place of the plan's; null = the plan's. */
  readonly overrides: ByResource<number | null>
  readonly usage: ByResource
  readonly members: number
  readonly enabled: 0 | 1
  readonly local_engine: 0 | 1
  readonly modules: { readonly ee: boolean; readonly wpc: boolean }
  readonly creation: string
}

/** An account as `users` lists it. */
export interface PlatformUser {
  readonly email: string
  readonly full_name: string | null
  readonly enabled: 0 | 1
  readonly verified: 0 | 1
  readonly platform_user: 0 | 1
  readonly platform_admin: 0 | 1
  readonly last_sign_in: string | null
  readonly organizations: number
  readonly creation: string
}

/** States of a mail. */
export const mailStatuses = ['Queued', 'Sending', 'Sent', 'Printed', 'Failed'] as const

/** A mail as `outbox` lists it. */
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

/** A mail with its content; both texts are empty once it was delivered. */
export interface WholeMail extends OutboxMail {
  readonly text: string
  readonly html: string
}

/** A job as `jobs` lists it. */
export interface PlatformJob {
  readonly name: string
  readonly organization: string
  readonly job_type: string
  readonly label: string | null
  readonly status: string
  readonly percent: number | null
  readonly owner: string
  readonly creation: string
  readonly started: string | null
  readonly ended: string | null
  readonly error_message: string | null
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
  readonly wordpress_cache: { readonly versions: readonly string[] } | null
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
