import type { Controller, Feature, Method } from '#server/documents/types.ts'
import type { OrganizationsDeps } from './deps.ts'
import { limitControllers } from './limits.ts'
import { memberController } from './member-controller.ts'
import { membershipMethods } from './membership.ts'
import { organizationController } from './organization-controller.ts'
import { subscriptionMethods } from './subscription.ts'

/** What the organizations feature hands to the composition root. */
export interface Organizations extends Feature {
  readonly controllers: readonly Controller[]
  readonly methods: readonly Method[]
}

/** Organizations, their members, the switch between them, and the limits of their plans. */
export function createOrganizations(deps: OrganizationsDeps): Organizations {
  return {
    controllers: [organizationController, memberController, ...limitControllers],
    methods: [...membershipMethods(deps), ...subscriptionMethods(deps)],
  }
}
