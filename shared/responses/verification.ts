/** What following the link of a verification mail led to, as `easydash.api.account.verify_email` says. */
export interface Confirmed {
  readonly email: string
  /** Where to go on, e.g. to choose a password. */
  readonly redirect: string
  /** Others signed up with the address, too: the passwords of before do not count. */
  readonly choose_password: boolean
}

/** Where the link to verify an address was sent, as `resend_verification` and `change_unverified_email` say. */
export interface LinkSent {
  readonly email: string
  /** Whether a mail server is set up; without one mails stay in the outbox. */
  readonly mail_server: boolean
}
