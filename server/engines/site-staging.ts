/** What every engine can do to bring the changes of a staging site back to the site it was made from. */
import type { PushKind, PushPlan, PushSide } from '#shared/responses/push-plan.ts'
import type { EngineStep } from './engine-step.ts'
import type { SiteRef } from './site-ref.ts'

/** What is pushed, as planned. */
export interface PushChoice {
  readonly files: boolean
  readonly database: boolean
  /** `digest` of each part of the plan that was shown. */
  readonly digests: { readonly files: string; readonly database: string | null }
  /** Ids of clashes in which the side of staging is taken; in all others the site stays as it is. */
  readonly take: readonly string[]
  /** Kinds of content of which the side of staging is taken in every clash; `files` for files. */
  readonly takeAll: readonly string[]
}

/** Staging of a site as its engine has it. */
export interface EngineStaging {
  /** A push, or its rollback, is neither finished nor taken back. */
  readonly changing: boolean
  /** The state before the last push, if it is kept. */
  readonly kept: { readonly at: number } | null
}

/** What a rollback would lose. */
export interface PushLoss {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly files: PushSide
  readonly kinds: readonly { readonly kind: PushKind; readonly changes: PushSide }[]
}

/** Pushes from staging sites, which `SiteCopies.cloneSteps` makes. */
export interface SiteStaging {
  /** Nothing is started for it. Throws EngineError `not_found` for an unknown site. */
  read(live: SiteRef): Promise<EngineStaging>
  /**
   * Steps that find what changed on either side since the staging site was made, without changing either. Files and rows of
   * sites can be anything: texts in the plan are of bounded length. Throws EngineError `conflict` if one of the two is no
   * staging site of the other, or has another primary domain since.
   */
  planSteps(live: SiteRef, staging: SiteRef, keep: (plan: PushPlan) => Promise<void>): EngineStep[]
  /**
   * Steps that push. From the first one on, visitors of the site are kept out (503): on this machine until `finish` or `undo`, while our own
   * requests pass, on servers, for WordPress, until the new state is in place. The staging site is not changed. What the live site has new
   * since is kept; where content is pushed as a whole, what it has new of that is one clash. After the last step the site answers with
   * the changes. Throws EngineError `conflict` if the push would do something else than planned.
   */
  pushSteps(live: SiteRef, staging: SiteRef, choice: PushChoice): EngineStep[]
  /**
   * Steps for after `finish` of a push, as parts of the same operation: they remember what it left, for `changesSincePush` and the next plan. They
   * change neither site; what cannot be remembered is said in their log only.
   */
  rememberSteps?(live: SiteRef, staging: SiteRef): EngineStep[]
  /** Steps that bring back the state before the last push, with the same rules. Throws EngineError `conflict` if it is not kept. */
  rollBackSteps(live: SiteRef): EngineStep[]
  /**
   * What changed on the site since the last push, which a rollback would lose. Nothing is changed. Throws EngineError `conflict` if
   * the state before is not kept, `unavailable` if what the site was like after the push is not known or can't be read.
   */
  changesSincePush(live: SiteRef, signal?: AbortSignal): Promise<PushLoss>
  /** Lets visitors in again, and keeps the state before a push for its rollback. Does nothing if nothing is going on. */
  finish(live: SiteRef): Promise<void>
  /** Takes back what an operation began and did not finish. Resolves with what it found. */
  undo(live: SiteRef, operationId: string): Promise<'undone' | 'finished'>
}
