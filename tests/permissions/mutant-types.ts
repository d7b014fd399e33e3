/**
 * A mutant of the permission code: each one removes a call, a predicate or a rule. The permission suite must detect all of
 * them. `find` occurs exactly once in the file; update the mutant when the code changes.
 */
export interface CodeMutant {
  readonly what: string
  readonly file: string
  readonly find: string
  readonly replace: string
  /** A second change for redundant checks: removing only one makes no difference. */
  readonly also?: { readonly file: string; readonly find: string; readonly replace: string }
  /** Cases to run first; the others follow. */
  readonly first?: RegExp
  /** Only detectable through sockets. */
  readonly sockets?: true
}
