import type { Controller } from './controller.ts'
import type { Method } from './method.ts'
import type { RawRoute } from './raw-route.ts'

/** What each feature provides to the composition root. */
export interface Feature {
  controllers?: readonly Controller[]
  methods?: readonly Method[]
  /** Routes outside of Frappe's protocol. */
  routes?: readonly RawRoute[]
}
