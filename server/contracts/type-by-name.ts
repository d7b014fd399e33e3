import type { Doctype } from '#shared/doctype.ts'

/** Looks up a doctype description by name; null if there is none. */
export interface TypeByName {
  (name: string): Doctype | null
  /** All descriptions. */
  readonly types: readonly Doctype[]
}

/** Creates the lookup for the given descriptions. */
export function typesByName(types: readonly Doctype[]): TypeByName {
  const byName = new Map(types.map((type) => [type.name, type]))
  return Object.assign((name: string) => byName.get(name) ?? null, { types })
}
