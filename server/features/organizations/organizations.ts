import { sql } from 'kysely'
import { tableRef } from '#server/documents/documents.ts'
import type { Controller } from '#server/contracts/controller.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { Method } from '#server/contracts/method.ts'
import type { ScheduledWork } from '#server/contracts/schedule.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { OrganizationsDeps } from './deps.ts'
import { invitationMethods } from './invitation-methods.ts'
import { expireInvitations } from './invitations.ts'
import { inviteController } from './invite-controller.ts'
import { memberController } from './member-controller.ts'
import { membershipMethods } from './membership.ts'
import { organizationActions, serverActions } from './organization-actions.ts'
import { ensureOwnerIsMember, organizationController } from './organization-controller.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

/** What the organizations feature provides to the composition root. */
export interface Organizations extends Feature {
  readonly controllers: readonly Controller[]
  readonly methods: readonly Method[]
  readonly schedules: readonly ScheduledWork[]
  /** Restores missing member rows of owners. */
  prepare(): Promise<void>
}

/** Organizations, their members and invitations, and switching between organizations. */
export function createOrganizations(deps: OrganizationsDeps): Organizations {
  return {
    controllers: [
      organizationController(deps),
      organizationActions(deps),
      serverActions,
      memberController,
      inviteController(deps),
    ],
    methods: [...membershipMethods(deps), ...invitationMethods(deps)],

    schedules: [
      {
        name: 'organizations.expire_invitations',
        everySeconds: 10,
        run: () => deps.documents().transaction(systemSession('schedule'), expireInvitations),
      },
    ],
    prepare: () => deps.documents().transaction(systemSession('schedule'), restoreOwners),
  }
}

/**
 * Restores member rows of owners that were lost outside the product (manual changes, a restored backup): without them,
 * nobody could manage the organization.
 */
async function restoreOwners(tx: Tx): Promise<void> {
  // Filters can't ask for a missing row, and almost always there is none to restore: not worth reading every organization.
  const { rows } = await sql<{ name: string }>`select o.name from ${tableRef('Organization')} o
    join ${tableRef('User')} u on u.name = o._owner
    where not exists (select 1 from ${tableRef('Organization Member')} m where m.parent = o.name and m."user" = o._owner
      and m.organization_role = 'Organization Admin')`.execute(tx.trx)
  for (const { name } of rows) {
    const organization = await tx.get(OrganizationDoctype, name, { lock: true })
    if (organization) await ensureOwnerIsMember(tx, organization)
  }
}
