import { systemSession } from '#server/jobs/session.ts'
import type { Controller, Feature, Method } from '#server/documents/types.ts'
import type { OrganizationsDeps } from './deps.ts'
import { invitationMethods } from './invitation-methods.ts'
import { expireInvitations } from './invitations.ts'
import { inviteController } from './invite-controller.ts'
import { memberController } from './member-controller.ts'
import { membershipMethods } from './membership.ts'
import { organizationActions } from './organization-actions.ts'
import { organizationController } from './organization-controller.ts'

/** What the organizations feature hands to the composition root. */
export interface Organizations extends Feature {
  readonly controllers: readonly Controller[]
  readonly methods: readonly Method[]
  /** Enters the repeated work in the schedule; before the jobs start. */
  start(): Promise<void>
}

/** Organizations, their members and invitations, and the switch between them. */
export function createOrganizations(deps: OrganizationsDeps): Organizations {
  return {
    controllers: [organizationController(deps), organizationActions(deps), memberController, inviteController(deps)],
    methods: [...membershipMethods(deps), ...invitationMethods()],

    async start() {
      deps.schedule?.().add({
        name: 'organizations.expire_invitations',
        everySeconds: 10,
        run: () => deps.documents().transaction(systemSession('schedule'), expireInvitations),
      })
    },
  }
}
