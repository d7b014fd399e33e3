/** People who are signed in to WordPress. */

/** Roles that a person can have in WordPress, highest first. */
export type WordPressRole = 'administrator' | 'editor'

/** What the WordPress user of a person may do. */
export interface WordPressGrant {
  /** Identifies the person on this site alone; the site stores it with the user. 24 hexadecimal digits. */
  key: string
  role: WordPressRole
}

/** A person who is signed in to WordPress as their own user. */
export interface WordPressPerson extends WordPressGrant {
  /** Wanted login name, `[a-z][a-z0-9_-]{0,27}`; a taken one gets a number. Used when the user is created, as are the next two. */
  login: string
  /** Display name. */
  name: string
  email: string
}
