/** Permission bits of a share that people see (specification section 6). `submit` is stored as 0 and never shown. */
export interface ShareBits {
  readonly read: 0 | 1
  readonly write: 0 | 1
  readonly share: 0 | 1
}

/** A member with whom a site is shared, as the site's `list_shares` gives it. */
export interface SharedWith extends ShareBits {
  readonly user: string
  readonly full_name: string | null
}
