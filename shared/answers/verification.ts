/** What following the link of a verification mail led to, as `easydash.api.account.verify_email` says. */
export interface Confirmed {
  readonly email: string
  /** Where to go on, e.g. to choose a password. */
  readonly redirect: string
  /** Others signed up with the address, too: the passwords of before do not count. */
  readonly choose_password: boolean
}
