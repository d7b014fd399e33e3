import type { Credentials } from './passwords/credentials.ts'
import type { AccountsDeps } from './deps.ts'
import type { SecondFactors } from './sign-in/second-factor.ts'
import type { AccountSessions } from './sessions/sessions.ts'

/** Dependencies of the accounts feature plus the services it creates, for its methods and hooks. */
export interface AccountServices extends AccountsDeps {
  readonly sessions: AccountSessions
  readonly credentials: Credentials
  readonly secondFactors: SecondFactors
}

/** Dependencies and internal services of the accounts feature, passed to its methods and hooks. */
export const hasMailServer = (services: AccountServices): boolean => Boolean(services.config.smtpUrl)
