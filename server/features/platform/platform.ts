import type { Controller } from '#server/contracts/controller.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { Method } from '#server/contracts/method.ts'
import type { PlatformDeps } from './deps.ts'
import { healthMethod } from './health.ts'
import { jobsMethod } from './jobs.ts'
import { organizationAdminMethods } from './organization-admin-methods.ts'
import { organizationsMethod } from './organizations.ts'
import { outboxMethods } from './outbox.ts'
import { userRightsController } from './user-controller.ts'
import { userMethods } from './users.ts'

/** What the platform feature provides to the composition root. */
export interface Platform extends Feature {
  readonly controllers: readonly Controller[]
  readonly methods: readonly Method[]
}

/**
 * Administration of the installation: organizations, accounts, outbox, jobs, health. Never exposes secrets of organizations.
 */
export function createPlatform(deps: PlatformDeps): Platform {
  return {
    controllers: [userRightsController],
    methods: [
      organizationsMethod(deps),
      ...organizationAdminMethods(),
      ...userMethods(),
      ...outboxMethods(),
      jobsMethod,
      healthMethod(deps),
    ],
  }
}
