import type { PersonKey, Slug } from './people.ts'

/** Properties of a document that the rules depend on. */
export interface Attributes {
  /** Null: belongs to no organization. */
  readonly organization: Slug | null
  /** Its creator. */
  readonly owner?: PersonKey
  /** A share of the document. */
  readonly shared?: { readonly with: PersonKey; readonly bits: readonly ('read' | 'write' | 'share')[] }
  /** Is a development server, or is on one. */
  readonly development?: boolean
  /** A site on this server is shared with that person. */
  readonly holdsShared?: PersonKey
  /** The person the document is about: account, member row, settings. */
  readonly about?: PersonKey
  /** The member row of the organization's owner. */
  readonly ofOwner?: boolean
  readonly role?: string
  /** Doctype of the activity entry's reference. */
  readonly reference?: string
  /** `Doctype/key` of the activity entry's reference, if reading that document has its own rules. */
  readonly aboutPlan?: string
  /** Attributes of the activity entry's reference. */
  readonly referenceAttributes?: Attributes
  /** `Doctype/key` of the document a file is attached to. */
  readonly attachedTo?: string
  /** Belongs to the platform and is visible to every verified user. */
  readonly everybody?: true
}

/** A kind of document that all cases are tried on. */
export interface SubjectPlan {
  readonly doctype: string
  /** What makes it different, for the title of a case. */
  readonly key: string
  readonly attributes: Attributes
  /** Row of the table that applies to it. */
  readonly row: string
  /** Its column values. Servers and sites are referenced by the key of their plan, `@Server/dev`. */
  readonly values: Readonly<Record<string, unknown>>
  /** Only one of it can exist, so writes are tried on the shared document itself. */
  readonly single?: true
}
