import type { Doctype } from '#shared/doctype.ts'

/** Descriptions by name; null for what is none. */
export interface TypeByName {
  (name: string): Doctype | null
  /** Every description there is. */
  readonly types: readonly Doctype[]
}

/** Finds the given descriptions. */
export function typesByName(types: readonly Doctype[]): TypeByName {
  const byName = new Map(types.map((type) => [type.name, type]))
  return Object.assign((name: string) => byName.get(name) ?? null, { types })
}
