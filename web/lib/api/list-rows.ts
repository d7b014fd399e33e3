/** Types of list rows: they follow from the doctype and the requested fields. */
import type { DoctypeName, DocumentOf } from '#shared/doctypes/registry.ts'

/** The number of rows of a group, in a request with `group_by`. */
type GroupCount = 'count(name) as n'

/** The title of a linked document, e.g. `server.hostname as server_title`. */
type LinkedTitle = `${string}.${string} as ${string}_title`

/** What a list request can read of a doctype. */
export type ListField<D extends DoctypeName> = 'name' | (keyof DocumentOf<D> & string) | GroupCount | LinkedTitle

/** A row with the requested fields `F`. The title of a linked document that the user can't read is null. */
export type SelectedRow<D extends DoctypeName, F extends string> = Pick<DocumentOf<D>, F & keyof DocumentOf<D>> & {
  readonly [K in F as K extends `${string}.${string} as ${infer Title}` ? Title : never]: string | null
} & (GroupCount extends F ? { readonly n: number } : unknown)

/**
 * A row of a list of documents `T` whose fields are chosen at runtime: the requested ones are set, and titles of linked
 * documents beside them.
 */
export type RowOf<T> = { readonly name: string } & Readonly<Partial<T>> & {
    readonly [K in keyof T & string as `${K}_title`]?: string | null
  }
