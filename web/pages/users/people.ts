import { listedInvitations, type ListedInvitation } from '#shared/responses/invitations.ts'
import { listedMembers, type ListedMember } from '#shared/responses/members.ts'
import { useMethod, type Loaded } from '#web/lib/api/frappe.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { useListEvents } from '#web/lib/events/use-events.ts'
import { useFailureToast } from '#web/lib/api/use-failure-toast.ts'
import { t } from './messages.ts'
import { askFor, peopleMethod } from './people-reads.ts'

/** A row of the user list: a member, or an invitation that hasn't been accepted. */
export type Person = {
  /** Name of the member row or the invitation. */
  readonly name: string
  readonly kind: 'member' | 'invitation'
  readonly user: string
  /** Name, else the email. */
  readonly member: string
  readonly image: string | null
  readonly organization_role: OrganizationRole
  readonly status: 'Joined' | 'Pending' | 'Expired'
  readonly is_owner: boolean
  readonly self: boolean
  /** Null if the user sees all sites, or none yet. */
  readonly sites: number | null
  readonly ssh_keys: number | null
  readonly two_factor: 'On' | 'Off' | null
  readonly last_active: string | null
  readonly added: string
  /** When the latest link of an invitation was created, and when it was emailed. */
  readonly link_created: string | null
  readonly sent: string | null
  /** That email could not be delivered. */
  readonly undelivered: boolean
  readonly expires: string | null
  /** Without a mail server: since when the invited person waits to be confirmed. */
  readonly signed_up: string | null
}

/** Rows of members and open or expired invitations; accepted ones are listed as members. */
export function peopleOf(
  members: readonly ListedMember[],
  invitations: readonly ListedInvitation[],
  me: string | null,
): Person[] {
  const joined = new Set(members.map((member) => member.user))
  return [
    ...members.map((one): Person => ({
      name: one.name,
      kind: 'member',
      user: one.user,
      member: one.full_name ?? one.user,
      image: one.user_image,
      organization_role: one.organization_role,
      status: 'Joined',
      is_owner: one.is_owner,
      self: one.user === me,
      sites: one.sites,
      ssh_keys: one.ssh_keys,
      two_factor: one.two_factor === null ? null : one.two_factor ? 'On' : 'Off',
      last_active: one.last_active,
      added: one.joined,
      link_created: null,
      sent: null,
      undelivered: false,
      expires: null,
      signed_up: null,
    })),
    ...invitations
      .filter((one) => one.status !== 'verified' && !joined.has(one.user))
      .map((one): Person => ({
        name: one.name,
        kind: 'invitation',
        user: one.user,
        member: one.user,
        image: null,
        organization_role: one.organization_role,
        status: one.status === 'pending' ? 'Pending' : 'Expired',
        is_owner: false,
        self: false,
        sites: null,
        ssh_keys: null,
        two_factor: null,
        last_active: null,
        added: one.creation,
        link_created: one.link_created,
        sent: one.sent,
        undelivered: one.status === 'pending' && one.undelivered,
        expires: one.expires,
        signed_up: one.status === 'pending' ? one.signed_up : null,
      })),
  ]
}

/**
 * All members and invitations of the current organization, live. If invitations fail to load, a toast shows the error and
 * they are omitted.
 */
export function usePeople(): {
  people: readonly Person[] | undefined
  members: Loaded<ListedMember[]>
  invitations: Loaded<ListedInvitation[]>
} {
  const { user, organization } = useSession()
  const name = organization?.name ?? ''
  const method = organization ? peopleMethod : null
  const members = useMethod(method, askFor(name, 'list_members'), { verb: 'POST', returns: listedMembers })
  const invitations = useMethod(method, askFor(name, 'list_invitations'), {
    verb: 'POST',
    returns: listedInvitations,
  })
  const again = () => void Promise.all([members.reload(), invitations.reload()])
  useListEvents('Organization Member', again)
  useListEvents('Member Invite', again)
  useFailureToast(t('users.invitations_failed'), invitations.error)
  const ready = members.data !== undefined && (invitations.data !== undefined || invitations.error !== null)
  return {
    people: ready && members.data ? peopleOf(members.data, invitations.data ?? [], user) : undefined,
    members,
    invitations,
  }
}
