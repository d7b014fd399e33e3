import type { Controller, Feature, Method } from '#server/documents/types.ts'
import type { OrganizationsDeps } from './deps.ts'
import { memberController } from './member-controller.ts'
import { membershipMethods } from './membership.ts'
import { organizationController } from './organization-controller.ts'

/** What the organizations feature hands to the composition root. */
export interface Organizations extends Feature {
  readonly controllers: readonly Controller[]
  readonly methods: readonly Method[]
}

/** Organizations, their members, and the switch between them. */
export function createOrganizations(deps: OrganizationsDeps): Organizations {
  return {
    controllers: [organizationController, memberController],
    methods: [...membershipMethods(deps)],
  }
}
