import { controller, type Controller } from '#server/contracts/controller.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { assertChosenAlone } from './passwords/colleague-links.ts'
import { linksElsewhere, removeLinks } from './login-provider/provider-links.ts'
import type { AccountSessions } from './sessions/sessions.ts'
import { UserMetaDoctype } from '#shared/doctypes/user-meta.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { DocShareDoctype } from '#shared/doctypes/doc-share.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'

/** Fields whose changes all sessions of the user must see at once. */
const sessionFields = ['enabled', 'email_verified', 'roles', 'role_profile_name', 'full_name', 'user_image'] as const

/** Fields that also decide which socket rooms the user may join. */
const rights = ['enabled', 'email_verified', 'roles', 'role_profile_name'] as const

/** Behavior of accounts: derived names, the User Meta row, session updates. */
export function userController(sessions: AccountSessions): Controller {
  return controller(UserDoctype, {
    async validate(doc, before) {
      doc.full_name = [doc.first_name, doc.last_name].filter(Boolean).join(' ') || null
      if (before && doc.email !== before.email) {
        throw new AppError('invalid', msg`The email address cannot be changed here.`, {
          field: 'email',
          excType: 'CannotChangeConstantError',
        })
      }
      if (doc.user_image !== null && !isImageAddress(doc.user_image)) {
        throw new AppError('invalid', msg`Upload a picture, or enter an address that begins with https://.`, {
          field: 'user_image',
          excType: 'ValidationError',
        })
      }
    },

    async after_insert(doc, { tx }) {
      await tx.insert(UserMetaDoctype, { user: doc.name }, { owner: doc.name })
    },

    async on_update(doc, before, context) {
      if (before.enabled === 1 && doc.enabled !== 1) await sessions.endAll(context.tx, doc.name)
      const differs = (field: (typeof sessionFields)[number]) => !sameJson(doc[field], before[field])
      if (rights.some(differs)) await sessions.lostOrganization(context.tx, doc.name, null)
      else if (sessionFields.some(differs)) await sessions.changed(context.tx, doc.name)
    },

    async after_delete(doc, context) {
      await sessions.endAll(context.tx, doc.name)
    },
  })
}

/** The chosen organization applies from the next request on. */
export function userMetaController(sessions: AccountSessions): Controller {
  return controller(UserMetaDoctype, {
    async on_update(doc, before, { tx }) {
      if (doc.current_organization !== before.current_organization) await sessions.changed(tx, doc.name)
    },
  })
}

/**
 * When members lose permissions in an organization, their sessions and sockets are updated at once, in every process.
 * Sockets reconnect and join only the rooms they still may.
 */
export function membershipControllers(sessions: AccountSessions): Controller[] {
  const userOf = (doc: { user: string }) => doc.user
  return [
    controller(OrganizationMemberDoctype, {
      async after_insert(doc, { session, tx }) {
        await sessions.changed(tx, userOf(doc))
        await endElsewhere(sessions, tx, doc, session)
      },
      on_update: (doc, before, { tx }) =>
        doc.organization_role === before.organization_role
          ? sessions.changed(tx, userOf(doc))
          : sessions.lostOrganization(tx, userOf(doc), doc.parent),
      async after_delete(doc, { tx }) {
        await removeLinks(sessions, tx, { organization: doc.parent, user: userOf(doc) })
        await sessions.lostOrganization(tx, userOf(doc), doc.parent)
      },
    }),
    controller(OrganizationDoctype, {
      // The member rows of a new organization run no hooks of their own.
      async after_insert(doc, { session, tx }) {
        for (const { user } of doc.members) await endElsewhere(sessions, tx, { user, parent: doc.name }, session)
      },
      async on_update(doc, before, { tx }) {
        if (doc.enabled !== 1 && before.enabled === 1) await endOrganizationSessions(sessions, tx, doc)
        if (doc.enabled === 1 && before.enabled !== 1)
          for (const member of doc.members) await sessions.changed(tx, userOf(member))
        if (doc.require_two_factor === before.require_two_factor) return
        for (const member of doc.members) {
          const account = doc.require_two_factor === 1 ? await tx.get(UserDoctype, userOf(member)) : null
          if (account !== null && account.two_factor !== 1) await sessions.lostOrganization(tx, account.name, doc.name)
          else await sessions.changed(tx, userOf(member))
        }
      },
      // Member rows are deleted with the organization without running their own hooks.
      after_delete: (doc, { tx }) => endOrganizationSessions(sessions, tx, doc),
    }),
    controller(DocShareDoctype, {
      async on_update(doc, before, { tx }) {
        const lost = (['read', 'write', 'share'] as const).some((bit) => before[bit] === 1 && doc[bit] !== 1)
        if (lost) await sessions.lostOrganization(tx, userOf(doc), doc.organization)
      },
      after_delete: (doc, { tx }) => sessions.lostOrganization(tx, userOf(doc), doc.organization),
    }),
    controller(SiteDoctype, {
      async on_update(doc, before, { tx }) {
        if (doc.owner !== before.owner) await sessions.lostOrganization(tx, before.owner, doc.organization)
      },
    }),
  ]
}

/**
 * The provider of an organization vouches for nobody who belongs to another one as well: sessions that it started end, and
 * cannot be what joins or creates the other one. Nor do its admins.
 */
async function endElsewhere(
  sessions: AccountSessions,
  tx: Tx,
  { user, parent }: { user: string; parent: string },
  session: Session,
): Promise<void> {
  if (session.user === user && session.loginProvider !== undefined && session.loginProvider !== parent)
    throw new AppError('forbidden', msg`You are logged in through the provider of another organization.`, {
      excType: 'PermissionError',
      nextAction: msg`Log out, and log in with your password to join or create an organization.`,
    })
  await assertChosenAlone(tx.trx, user, parent)
  await sessions.endByLinks(tx, await linksElsewhere(tx.trx, user, parent))
}

async function endOrganizationSessions(sessions: AccountSessions, tx: Tx, organization: Organization): Promise<void> {
  for (const member of organization.members) await sessions.lostOrganization(tx, member.user, organization.name)
}

function isImageAddress(value: string): boolean {
  return (
    /^\/(?:private\/)?files\/[^\s\\/?#]+$/.test(value) || (/^https:\/\/[^\s\\]+$/.test(value) && URL.canParse(value))
  )
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
}
