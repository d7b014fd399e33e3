import type { Letter } from './notation.ts'
import type { Outcome } from './outcomes.ts'
import type { Person } from './people.ts'
import type { ParsedResponse, TestContext } from './test-context.ts'

/** An operation through one entry point of the API. */
export interface EntryPoint {
  readonly name: string
  readonly letter: Letter
  /** Doctypes that have this entry point. Default: all. */
  readonly doctypes?: readonly string[]
  /** Doctype whose scope an API token needs for the entry point itself, in addition to that of the document. */
  readonly alsoScopeOf?: string
  run(
    context: TestContext,
    person: Person,
    doctype: string,
    name: string,
    probe: Record<string, unknown>,
  ): Promise<Outcome>
}

/** An entry point that creates documents; the draft is the same for all. */
export interface CreatingEntryPoint {
  readonly name: string
  run(context: TestContext, person: Person, doctype: string, draft: Record<string, unknown>): Promise<ParsedResponse>
}

/** An entry point that runs an action of a document. */
export interface ActingEntryPoint {
  readonly name: string
  run(
    context: TestContext,
    person: Person,
    doctype: string,
    name: string,
    action: string,
    args: Readonly<Record<string, unknown>>,
  ): Promise<ParsedResponse>
}
