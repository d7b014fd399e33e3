/**
 * A mutant of the permission code: each one removes a check, a predicate or a rule. The permission suite must detect all of
 * them. A mutant names a module, a function in it and a part of that function by its syntax, never by its text, so it
 * survives reformatting and moving within the module. All are in the product at once, each behind a switch
 * (`mutate-hook.ts`).
 */
export interface CodeMutant {
  /** What the product lacks with it; unique. */
  readonly what: string
  /** Usually one. More for redundant checks, where removing only one makes no difference. */
  readonly changes: readonly [Change, ...Change[]]
  /** Cases to run first; the others follow. */
  readonly first?: RegExp
  /** Only detectable through sockets. */
  readonly sockets?: true
}

/** One change: where, which part, and what it becomes. */
export type Change = FunctionLocation & Part

/** A function of a module. */
export interface FunctionLocation {
  /** Path below the root of the repository. */
  readonly module: string
  /**
   * The function's name. Functions within others, methods of an object and handlers of named events or hooks follow after a
   * dot: `createDocuments.list`, `handleSubscriptions.doc_open`.
   */
  readonly in: string
  /** Only what runs if the condition with these names holds. */
  readonly branch?: Names
}

/** What a part mentions, each one of: variables, properties, and the values of literals. */
export type Names = readonly string[]

/**
 * Code that replaces a part. `$it` stands for the original, and for calls `$1`, `$2` … for the arguments. It may use what the
 * function may use.
 */
export type Code = string

/**
 * A part of a function. If several fit, `nth` says which, counted from 1; otherwise exactly one must fit.
 *
 * - `answers` alone: the whole function returns this.
 * - `if`: the condition of an `if` or of `? :` becomes `is`.
 * - `operand`: an operand of `&&`, `||` or `??` becomes `is`.
 * - `call`: the call of a function (or `object.method`) answers something else, or gets another `argument`.
 * - `variable`: its first value becomes `is`.
 * - `return`: what is returned becomes `is`. `throw`: nothing is thrown; the function ends instead.
 * - `slot`: a value within a template text, such as a parameter of SQL, becomes `is`.
 */
export type Part = { readonly nth?: number } & (
  | { readonly answers: Code; readonly call?: never }
  | { readonly if: Names; readonly is: Code }
  | { readonly operand: Names; readonly is: Code }
  | { readonly call: string; readonly with?: Names; readonly answers: Code }
  | { readonly call: string; readonly with?: Names; readonly argument: number; readonly is: Code }
  | { readonly variable: string; readonly is: Code }
  | { readonly return: Names; readonly is: Code }
  | { readonly throw: Names }
  | { readonly slot: Names; readonly is: Code }
)
