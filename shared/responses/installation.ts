/** What an installation says about itself to admins, as `easydash.api.connections.facts` does. */
export interface InstallationFacts {
  /** Addresses it connects from, for allow-lists. */
  readonly egress_ips: readonly string[]
  /** Account of the bot at GitHub. */
  readonly bot_name: string
  /** Public SSH key it signs in with; null where the operator named none. */
  readonly default_public_key: string | null
}
