import type { Letter } from './notation.ts'
import type { Outcome } from './outcomes.ts'
import type { Person } from './people.ts'
import type { Answer, World } from './world.ts'

/** A way in: an operation through one door of the API. */
export interface EntryPoint {
  readonly name: string
  readonly letter: Letter
  /** Doctypes that have this door; absent: all. */
  readonly doctypes?: readonly string[]
  /** Doctype whose scope an API token needs for the door itself, beside that of the document. */
  readonly alsoScopeOf?: string
  run(world: World, person: Person, doctype: string, name: string, probe: Record<string, unknown>): Promise<Outcome>
}

/** A way to make documents; the draft is the same for all. */
export interface CreatingDoor {
  readonly name: string
  run(world: World, person: Person, doctype: string, draft: Record<string, unknown>): Promise<Answer>
}

/** A way to run a document's action. */
export interface ActingDoor {
  readonly name: string
  run(
    world: World,
    person: Person,
    doctype: string,
    name: string,
    action: string,
    args: Readonly<Record<string, unknown>>,
  ): Promise<Answer>
}
