import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { UserDoctype, adminProfile, platformRole } from '#shared/doctypes/user.ts'
import type { PlanName } from '#shared/rules/plans.ts'
import { accountActivity } from '../account-activity.ts'
import type { AccountServices } from '../account-services.ts'

/** A new account, with its password already hashed. */
export interface NewAccount {
  /** Lowercase. */
  email: string
  first_name: string
  last_name: string | null
  passwordHash: string
  accept_newsletter: 0 | 1
  org_sku: PlanName | null
  /** Whether the mailbox is already proven. */
  verified: boolean
  platformAdmin: boolean
}

/** Creates the account with its password; a hook adds its User Meta row. Throws `conflict` if the name is taken. */
export async function insertAccount(
  services: Pick<AccountServices, 'credentials'>,
  tx: Tx,
  account: NewAccount,
): Promise<void> {
  const { email, first_name, last_name, accept_newsletter, org_sku, verified, platformAdmin } = account
  await tx.insert(
    UserDoctype,
    {
      email,
      first_name,
      last_name,
      accept_newsletter,
      org_sku,
      enabled: 1,
      email_verified: verified ? 1 : 0,
      roles: verified ? [platformRole] : [],
      role_profile_name: platformAdmin ? adminProfile : null,
      terms_accepted: formatTimestamp(Date.now()),
    },
    { owner: email, activity: false },
  )
  await services.credentials.store(tx.trx, email, account.passwordHash)
  await tx.activity(
    accountActivity('account.sign_up', email, {
      after: { email_verified: verified ? 1 : 0, role_profile_name: platformAdmin ? adminProfile : null },
    }),
  )
}
