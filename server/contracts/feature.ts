import type { Controller } from './controller.ts'
import type { Method } from './method.ts'

/** What each feature hands to the composition root. */
export interface Feature {
  controllers?: readonly Controller[]
  methods?: readonly Method[]
}
