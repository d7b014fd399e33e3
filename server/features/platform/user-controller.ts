import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import { controller, type HookContext } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { sameValue } from '#shared/same-value.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { UserDoctype, adminProfile, platformRole, type User } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/** Account fields that only platform admins can set. */
const rights = ['enabled', 'roles', 'role_profile_name'] as const

/**
 * Invariants for account permissions, enforced on every write path: nobody can change their own, and at least one platform
 * admin remains.
 */
export const userRightsController = controller(UserDoctype, {
  async validate(doc, before, context) {
    checkValues(doc)
    if (before === null || !rights.some((field) => !sameValue(doc[field], before[field]))) return
    assertNotOwn(doc, before, context)
    if (isAdmin(before) && !isAdmin(doc)) await assertNotLastAdmin(context.tx, doc.name)
  },

  async on_update(doc, before, { session, tx }) {
    const changed = rights.filter((field) => !sameValue(doc[field], before[field]))
    if (changed.length === 0 || session.kind === 'system') return
    const image = (of: User) => Object.fromEntries(changed.map((field) => [field, of[field]]))
    const rows = await tx.list(OrganizationMemberDoctype, [['user', '=', doc.name]])
    for (const { parent } of rows) {
      await tx.activity({
        action: 'platform.user_rights',
        organization: parent,
        reference_doctype: 'User',
        reference_name: doc.name,
        reference_title: String(doc.full_name ?? doc.name),
        before: image(before),
        after: image(doc),
      })
    }
  },

  async before_delete(doc, { tx }) {
    if (isAdmin(doc)) await assertNotLastAdmin(tx, doc.name)
  },
})

function checkValues(doc: User): void {
  const profile = doc.role_profile_name
  if (profile !== null && profile !== adminProfile)
    throw new AppError('invalid', msg`The role profile is ${adminProfile} or empty.`, { field: 'role_profile_name' })
  const roles: unknown = doc.roles
  if (roles !== null && !(Array.isArray(roles) && roles.every((role) => role === platformRole)))
    throw new AppError('invalid', msg`Roles are a list; the only role is ${platformRole}.`, { field: 'roles' })
}

function assertNotOwn(doc: User, before: User, { session }: HookContext): void {
  if (session.kind === 'system' || session.user !== doc.name) return
  const field = rights.find((name) => !sameValue(doc[name], before[name])) ?? 'enabled'
  throw new AppError('forbidden', msg`You cannot change your own rights.`, {
    field,
    excType: 'PermissionError',
    nextAction: msg`Ask another platform admin.`,
  })
}

function isAdmin(doc: User): boolean {
  const roles: unknown = doc.roles
  return (
    doc.enabled === 1 &&
    doc.role_profile_name === adminProfile &&
    doc.email_verified === 1 &&
    Array.isArray(roles) &&
    roles.includes(platformRole)
  )
}

/** Serialized: if two platform admins disable each other at the same time, one remains. */
async function assertNotLastAdmin(tx: Tx, user: string): Promise<void> {
  await transactionLock(tx, 'platform-admins')
  const others = await tx.list(UserDoctype, [
    ['name', '!=', user],
    ['role_profile_name', '=', adminProfile],
  ])
  if (others.some(isAdmin)) return
  throw new AppError('forbidden', msg`This is the last platform admin.`, {
    field: 'role_profile_name',
    excType: 'PermissionError',
    nextAction: msg`Make somebody else a platform admin first.`,
  })
}
