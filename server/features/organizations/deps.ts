import type { Config } from '#server/platform/config.ts'

/** What the organizations feature needs of the program. Its hooks and methods get the store with each call. */
export interface OrganizationsDeps {
  readonly config: Pick<Config, 'stripe'>
  /** The address an unverified account's link was sent to, when it is not its own. */
  readonly pendingEmail: (user: string) => Promise<string | null>
}
