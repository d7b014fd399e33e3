/**
 * The gate with one stone taken out: each entry removes one call, one predicate or one rule of the code. The permission
 * suite must notice every single one. `find` stands exactly once in the file; when code changes, its mutant changes along.
 */
export interface CodeMutant {
  readonly what: string
  readonly file: string
  readonly find: string
  readonly replace: string
  /** A second stone that carries the same: one alone makes no difference. */
  readonly also?: { readonly file: string; readonly find: string; readonly replace: string }
  /** Cases that are tried first; the others follow. */
  readonly first?: RegExp
  /** Only sockets can notice. */
  readonly sockets?: true
}
