import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import type { Organization } from '#shared/doctypes/organization.ts'
import { adminProfile, UserDoctype, type User } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { ProviderIdentity } from './openid-provider.ts'
import { addLink, linkOf, touchLink } from './provider-links.ts'
import { isAllowedAddress } from './provider-settings.ts'

/** Who is let in, or why not. */
export type Admission =
  | { readonly account: User; readonly link: string; readonly isNew: boolean }
  | { readonly refused: AppError; readonly account: User | null }

/**
 * Decides whether an identity at the provider of an organization is one of its members. By issuer and subject; the first time by
 * an email address that the provider verified. The organization is locked: nobody leaves or joins meanwhile.
 */
export async function admitMember(tx: Tx, organization: Organization, identity: ProviderIdentity): Promise<Admission> {
  const { issuer, subject, verifiedEmail } = identity
  const linked = await linkOf(tx.trx, { organization: organization.name, issuer, subject })
  if (!linked && verifiedEmail === null) return { refused: unverified(), account: null }
  const email = linked?.user ?? verifiedEmail ?? ''
  const member = await admissibleMember(tx, organization, email)
  if ('refused' in member) return member
  const { account } = member
  const link = linked ?? (await addLink(tx.trx, { organization: organization.name, issuer, subject }, email))
  if (!link) return { refused: otherIdentity(email), account }
  await touchLink(tx.trx, link.id)
  return { account, link: link.id, isNew: !linked }
}

/** The member with an address whom the provider of an organization can vouch for, or why it can't. */
export async function admissibleMember(
  tx: Tx,
  organization: Organization,
  email: string,
): Promise<{ readonly account: User } | Extract<Admission, { refused: AppError }>> {
  const account = await memberAccount(tx, organization, email)
  if (!account) return { refused: noMember(email), account: null }
  if (!isAllowedAddress(organization, email)) return { refused: otherDomain(email), account }
  return (await isOnlyHere(tx, organization, account)) ? { account } : { refused: passwordOnly(), account }
}

/** The account of a member who can log in; null for everybody else, whatever the reason. */
async function memberAccount(tx: Tx, organization: Organization, email: string): Promise<User | null> {
  const account = await tx.get(UserDoctype, email)
  if (account?.enabled !== 1 || account.email_verified !== 1) return null
  const member = await tx.find(OrganizationMemberDoctype, [
    ['parent', '=', organization.name],
    ['user', '=', email],
  ])
  return member ? account : null
}

/**
 * Whether what the account can reach belongs to this organization. Its owner decides what the provider says, and could otherwise
 * enter other organizations or the platform as this person. Sessions end as soon as it is no longer so (`session-lookup.ts`).
 */
async function isOnlyHere(tx: Tx, organization: Organization, account: User): Promise<boolean> {
  if (account.role_profile_name === adminProfile) return false
  const elsewhere = await tx.count(OrganizationMemberDoctype, [
    ['user', '=', account.name],
    ['parent', '!=', organization.name],
  ])
  return elsewhere === 0
}

const refusal = (message: AppError['localized'], nextAction: AppError['localized']): AppError =>
  new AppError('forbidden', message, { nextAction, excType: 'PermissionError' })

/** The same whether there is no such account, it is disabled, or belongs to others: its owner is to learn nothing about those. */
const noMember = (email: string) =>
  refusal(
    msg`No member of this organization has the email address ${email}.`,
    msg`Ask an admin of your organization to invite this address. If you have an invitation, accept it first.`,
  )

const unverified = () =>
  refusal(
    msg`The provider doesn’t say that your email address is verified.`,
    msg`Verify it there, then log in again. Otherwise log in with your password.`,
  )

const otherDomain = (email: string) =>
  refusal(
    msg`Addresses such as ${email} can’t log in through the provider of this organization.`,
    msg`Log in with your password. Owners allow further domains in the organization’s settings.`,
  )

const passwordOnly = () =>
  refusal(
    msg`Your account logs in with its password.`,
    msg`A login provider only vouches for accounts of a single organization that don’t administer the installation.`,
  )

const otherIdentity = (email: string) =>
  refusal(
    msg`${email} is linked to another account at the provider.`,
    msg`Ask an admin of your organization to unlink it under Auth in the settings, then log in again.`,
  )
