import type { SiteCopies } from '../../site-copies.ts'
import type { LocalContext } from '../local-context.ts'
import { cloneSteps } from './clone-steps.ts'

/** Copies of this machine's sites. */
export function createLocalCopies(context: LocalContext): SiteCopies {
  return { refusal: () => null, cloneSteps: (source, target) => cloneSteps(context, source, target) }
}
