import type { Feature } from '#server/contracts/feature.ts'
import { exportActivityMethod } from './export.ts'

/** Export of the activity log. Verification (`chain.ts`) is called by the command line. */
export function createActivity(): Feature {
  return { methods: [exportActivityMethod] }
}
