import { sql } from 'kysely'
import { controller, type Controller } from '#server/contracts/controller.ts'
import type { Db, Tx } from '#server/contracts/transaction.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { UserDoctype, adminProfile } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { hasMailServer, type AccountServices } from '../account-services.ts'
import { issueToken, type GivenBy } from '../sign-up/one-time-tokens.ts'

/**
 * Where no mail is delivered, an admin gives a member of the organization a link for a new password. It must not be a way into
 * another organization or above the admin's own role, so it is for accounts that have nothing beyond this organization
 * (decision 43).
 */
export function colleagueLinksController(services: AccountServices): Controller {
  return controller(OrganizationMemberDoctype, {
    actions: {
      async password_link(member, _args, { session, tx }) {
        const refuse = (reason: Refusal) =>
          new AppError('invalid', reason.message, {
            field: 'user',
            excType: 'ValidationError',
            nextAction: reason.nextAction,
          })
        if (hasMailServer(services))
          throw refuse({
            message: msg`Links for new passwords are sent by email here.`,
            nextAction: msg`Ask ${member.user} to open the page "Forgot password".`,
          })
        const by = { organization: member.parent, admin: session.user }
        const refusal = await refusalOf(tx, by, member.user)
        if (refusal) throw refuse(refusal)
        await sql`delete from easydash_token where kind = 'reset' and used is null and "user" = ${member.user}
          and data->'givenBy' is not null`.execute(tx.trx)
        const key = await issueToken(tx.trx, 'reset', member.user, { givenBy: by })
        return { link: `${services.config.url}/web/reset-password?key=${key}` }
      },
    },
  })
}

interface Refusal {
  readonly message: LocalizedMessage
  readonly nextAction: LocalizedMessage
}

/**
 * Why this admin can't choose for this account; null if nothing is in the way. Asked when the link is made, and again when it
 * is used: until then either of them may have got or lost rights.
 */
export async function refusalOf(
  tx: Tx,
  { organization, admin }: Required<GivenBy>,
  user: string,
): Promise<Refusal | null> {
  const stored = await tx.get(OrganizationDoctype, organization)
  const memberships = await tx.list(OrganizationMemberDoctype, [['user', '=', user]])
  const own = await tx.find(OrganizationMemberDoctype, [
    ['parent', '=', organization],
    ['user', '=', admin],
  ])
  const askPlatformAdmin = msg`Ask a platform admin: the page "Forgot password" makes a link that only they can read.`
  if (stored?.enabled !== 1 || own?.organization_role !== 'Organization Admin')
    return { message: msg`Only admins of the organization can do this.`, nextAction: askPlatformAdmin }
  if (user === admin)
    return {
      message: msg`This is your own account.`,
      nextAction: msg`Change your password in the settings of your account.`,
    }
  if (stored._owner === user)
    return { message: msg`Nobody here can choose a password for the owner.`, nextAction: askPlatformAdmin }
  const account = await tx.get(UserDoctype, user)
  const isHereAlone = memberships.length === 1 && memberships[0]?.parent === organization
  if (account?.enabled !== 1 || account.role_profile_name === adminProfile || !isHereAlone)
    return { message: msg`The account of ${user} is not of this organization alone.`, nextAction: askPlatformAdmin }
  return null
}

/** Whether the link of an admin ended because either of them got or lost rights. */
export async function isWithdrawn(tx: Tx, { organization, admin }: GivenBy, user: string): Promise<boolean> {
  return admin !== undefined && (await refusalOf(tx, { organization, admin }, user)) !== null
}

/** Notes that somebody of this organization may know the password of an account: nobody but a colleague vouched for who chose it. */
export async function noteGivenBy(trx: Db, user: string, organization: string): Promise<void> {
  await sql`update easydash_credential set given_by = ${organization} where "user" = ${user}`.execute(trx)
}

/**
 * Before an account joins or creates an organization: whoever gave it a link or confirmed it may know its password, and must not
 * get into this one by it. Their links end, and such an account gets a password from elsewhere first.
 */
export async function assertChosenAlone(trx: Db, user: string, organization: string): Promise<void> {
  await sql`delete from easydash_token where kind = 'reset' and used is null and "user" = ${user}
    and data->'givenBy'->>'organization' <> ${organization}`.execute(trx)
  const { rows } =
    await sql`select from easydash_credential where "user" = ${user} and given_by <> ${organization}`.execute(trx)
  if (rows.length === 0) return
  throw new AppError(
    'forbidden',
    msg`Somebody of another organization may know the password of ${user}: they confirmed the account, or gave a link for it.`,
    {
      excType: 'PermissionError',
      nextAction: msg`Choose a new one by the page "Forgot password", then try again.`,
    },
  )
}
