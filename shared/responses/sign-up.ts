/** What `easydash.api.account.sign_up` answers: `signed_in` for the first account, else always `check_mail`. */
export interface SignUpAnswer {
  readonly status: 'signed_in' | 'check_mail'
  readonly message: string
  readonly redirect: string
  /** Whether a mail server is set up; without one mails stay in the outbox. */
  readonly mail_server: boolean
}
