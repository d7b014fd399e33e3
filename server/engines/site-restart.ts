import type { RestartKind } from '#shared/rules/site-restarts.ts'
import type { StepContext } from './engine-step.ts'

/** A restart of what serves a site. */
export interface SiteRestart extends Pick<StepContext, 'operationId' | 'signal' | 'log'> {
  readonly kind: RestartKind
}
