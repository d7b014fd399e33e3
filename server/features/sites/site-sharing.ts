import type { SharedWith, ShareBits } from '#shared/responses/sharing.ts'
import { controller, type HookContext } from '#server/contracts/controller.ts'
import type { ActivityEntry, Tx } from '#server/contracts/transaction.ts'
import { referenceOf } from '#server/documents/documents.ts'
import { DocShareDoctype, type DocShare } from '#shared/doctypes/doc-share.ts'
import {
  OrganizationMemberDoctype,
  organizationRoles,
  type OrganizationMember,
} from '#shared/doctypes/organization-member.ts'
import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { WpcSiteDoctype } from '#shared/doctypes/wpc-site.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import { benefitsFromShares } from '#shared/rules/shares.ts'
import { labelMessage, msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'

/**
 * Invariants of shares: share permission includes write, and write includes read, because users who may share a site act
 * like its owner.
 */
export const shareHooks = controller(DocShareDoctype, {
  async validate(doc) {
    if (doc.share === 1) doc.write = 1
    if (doc.write === 1) doc.read = 1
    doc.submit = 0
  },
  async after_insert(doc, { tx }) {
    notifyUser(tx, doc)
    await notifyServer(tx, doc)
  },
  async on_update(doc, _before, { tx }) {
    notifyUser(tx, doc)
  },
  async after_delete(doc, { tx }) {
    notifyUser(tx, doc)
    await notifyServer(tx, doc)
  },
})

/** Sharing does not write the site, so only the user it is shared with is notified. */
function notifyUser(tx: Tx, share: DocShare): void {
  const { share_doctype, share_name, user, organization, modified } = share
  tx.emitEventTo(user, share_doctype, { name: share_name, organization, modified })
}

/** Members see the servers of sites shared with them: the server appears and disappears with the share. */
async function notifyServer(tx: Tx, share: DocShare): Promise<void> {
  const { share_name, user, organization } = share
  const site = await tx.get(SiteDoctype, share_name)
  const server = site && (await tx.get(ServerDoctype, site.server))
  if (server) tx.emitEventTo(user, ServerDoctype, { ...server, organization })
}

/** A document that is shared, whichever its doctype. */
type SharedDoc = AnyDoc & { readonly organization: string }

interface ShareArgs extends Partial<Record<keyof ShareBits, unknown>> {
  readonly user: unknown
}

/** What a doctype's documents are shared with. The store checks permissions first. */
function sharing(type: Doctype) {
  const record = (tx: Tx, doc: SharedDoc, action: string, entry: SharingEntry) =>
    recordSharing(tx, type, doc, action, entry)
  return {
    async share(doc: SharedDoc, args: ShareArgs, { tx }: HookContext) {
      const user = addressOf(args.user)
      const member = await memberOf(tx, doc, user, 'user')
      if (user === doc.owner) throw invalidField('user', msg`${user} is the owner of this site.`)
      const bits: ShareBits = { read: bit(args.read), write: bit(args.write), share: bit(args.share) }
      const known = await shareOf(tx, type, doc, user)
      if (bits.read + bits.write + bits.share === 0) {
        // Shares from before a role that needs none can still be removed.
        if (known) await tx.delete(DocShareDoctype, known.name, { activity: false })
      } else if (!benefitsFromShares(type, member.organization_role)) {
        throw invalidField('user', msg`${user} is an admin or manager and can access every site.`)
      } else if (known) await tx.update(DocShareDoctype, known.name, { ...bits }, { activity: false })
      else {
        const values = { organization: doc.organization, share_doctype: type.name, share_name: doc.name, user, ...bits }
        await tx.insert(DocShareDoctype, values, { activity: false })
      }
      const after = bitsOf(await shareOf(tx, type, doc, user))
      await record(tx, doc, 'share', {
        before: known && { user, ...bitsOf(known) },
        after: { user, ...after },
        detail: sharedDetail(user, after),
      })
      const account = await tx.get(UserDoctype, user)
      return { user, full_name: account?.full_name ?? null, ...after }
    },

    async unshare(doc: SharedDoc, args: { readonly user: unknown }, { tx }: HookContext) {
      const user = addressOf(args.user)
      const known = await shareOf(tx, type, doc, user)
      if (!known) throw invalidField('user', msg`This site is not shared with ${user}.`)
      await tx.delete(DocShareDoctype, known.name, { activity: false })
      await record(tx, doc, 'unshare', { before: { user, ...bitsOf(known) }, after: null, detail: msg`of ${user}` })
      return null
    },

    list_shares: (doc: SharedDoc, _args: object, { tx }: HookContext) => sharesOf(tx, type, doc),

    list_privileged: (doc: SharedDoc, _args: object, { tx }: HookContext) => privilegedFor(tx, type, doc),
  }
}

/** Sharing a site with a member, and transferring it. */
export const sharingActions = controller(SiteDoctype, {
  after_delete: (doc, { tx }) => endShares(tx, SiteDoctype, doc),
  actions: {
    ...sharing(SiteDoctype),
    set_owner: (doc, args, context) => transfer(doc, addressOf(args.new_owner), context),
  },
})

/** Sharing a site at WP Cloud, which members can only see. */
export const wpcSharingActions = controller(WpcSiteDoctype, {
  after_delete: (doc, { tx }) => endShares(tx, WpcSiteDoctype, doc),
  actions: sharing(WpcSiteDoctype),
})

async function endShares(tx: Tx, type: Doctype, doc: SharedDoc): Promise<void> {
  const shares = await tx.list(DocShareDoctype, sharesWhere(type, doc))
  for (const share of shares) await tx.delete(DocShareDoctype, share.name, { activity: false, rights: 'void' })
}

const bit = (value: unknown): 0 | 1 => (value === 1 ? 1 : 0)
const bitsOf = (share: DocShare | null): ShareBits => ({
  read: share?.read ?? 0,
  write: share?.write ?? 0,
  share: share?.share ?? 0,
})
const addressOf = (value: unknown) => (typeof value === 'string' ? value.trim().toLowerCase() : '')

function invalidField(field: string, message: LocalizedMessage): AppError {
  return new AppError('invalid', message, { field, excType: 'ValidationError' })
}

/** The action locks the member row (`rights_of`): a member who is being removed gets nothing at the same time. */
async function memberOf(tx: Tx, site: SharedDoc, user: string, field: string): Promise<OrganizationMember> {
  const member = await tx.find(OrganizationMemberDoctype, [
    ['parent', '=', site.organization],
    ['user', '=', user],
  ])
  if (!member) throw invalidField(field, msg`${user} is not a member of this organization.`)
  return member
}

const sharesWhere = (type: Doctype, doc: SharedDoc): [string, '=', string][] => [
  ['share_doctype', '=', type.name],
  ['share_name', '=', doc.name],
]

function shareOf(tx: Tx, type: Doctype, doc: SharedDoc, user: string): Promise<DocShare | null> {
  return tx.find(DocShareDoctype, [...sharesWhere(type, doc), ['user', '=', user]], { lock: true })
}

async function sharesOf(tx: Tx, type: Doctype, doc: SharedDoc): Promise<SharedWith[]> {
  const shares = await tx.list(DocShareDoctype, sharesWhere(type, doc))
  const found: SharedWith[] = []
  for (const share of shares) {
    const account = await tx.get(UserDoctype, share.user)
    found.push({ user: share.user, full_name: account?.full_name ?? null, ...bitsOf(share) })
  }
  return found
}

/**
 * Members for whom shares have no effect. Users who may share a site may know who has access anyway; other member rows stay
 * hidden from plain members.
 */
async function privilegedFor(tx: Tx, type: Doctype, site: SharedDoc): Promise<string[]> {
  const rows = await tx.list(OrganizationMemberDoctype, [
    ['parent', '=', site.organization],
    ['organization_role', 'in', organizationRoles.filter((role) => !benefitsFromShares(type, role))],
  ])
  return rows.map(({ user }) => user)
}

/** The new owner's share is removed; the old owner keeps only what their role gives. */
export async function transfer(
  site: Site,
  newOwner: string,
  { tx }: Pick<HookContext, 'tx'>,
): Promise<{ owner: string }> {
  await memberOf(tx, site, newOwner, 'new_owner')
  // A site that was found is its finder's, until somebody says whose it is.
  if (newOwner === site.owner && site.createdby_email !== null)
    throw invalidField('new_owner', msg`${newOwner} is the owner of this site already.`)
  const share = await shareOf(tx, SiteDoctype, site, newOwner)
  await tx.update(SiteDoctype, site.name, { createdby_email: newOwner }, { owner: newOwner, activity: false })
  if (share) await tx.delete(DocShareDoctype, share.name, { activity: false })
  await recordSharing(tx, SiteDoctype, site, 'set_owner', {
    before: { owner: site.owner },
    after: { owner: newOwner },
    detail: msg`to ${newOwner}`,
  })
  return { owner: newOwner }
}

/** Labels of what a share allows, by its highest bit. */
const bitLabels = [
  ['share', 'Can manage'],
  ['write', 'Can edit'],
  ['read', 'Can view'],
] as const

/** With whom a site is shared and what they can do. */
function sharedDetail(user: string, bits: ShareBits): LocalizedMessage {
  const label = bitLabels.find(([name]) => bits[name] === 1)?.[1]
  return label ? msg`with ${user} (${labelMessage(label)})` : msg`with ${user} (${labelMessage('No access')})`
}

type SharingEntry = Required<Pick<ActivityEntry, 'before' | 'after' | 'detail'>>

async function recordSharing(
  tx: Tx,
  type: Doctype,
  doc: SharedDoc,
  action: string,
  entry: SharingEntry,
): Promise<void> {
  await tx.activity({ action: `${type.name}.${action}`, ...referenceOf(type, doc), ...entry })
}
