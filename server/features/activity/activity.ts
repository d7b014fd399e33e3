import type { Feature } from '#server/contracts/feature.ts'
import { exportActivityMethod } from './export.ts'

/** The audit log beyond its list: export. What proves it (`chain.ts`) is called by the command line. */
export function createActivity(): Feature {
  return { methods: [exportActivityMethod] }
}
