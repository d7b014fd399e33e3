import { doctype, type Doc, type RolePermission, type Rule } from '../doctype.ts'
import { check, data, int } from '../fields.ts'

/** Maximum size of a file in bytes (docs/security.md). */
export const maxFileSize = 10 * 1024 * 1024

const own = ['owner', '=', '$user'] as const
const read: Rule = { any: [own, { attached_to: 'read' }] }
const change: Rule = {
  any: [{ all: [own, ['attached_to_name', 'is', 'not set']] }, { attached_to: 'write' }],
}
/** The same for every role: permissions on a file follow from the document it is attached to. */
const asAttached: RolePermission = { read, write: change, delete: change }

/** Chosen with the upload and fixed then. */
const chosen = { read_only: true } as const

/** Derived from the stored content by the server. */
const found = { read_only: true, server_owned: true } as const

/**
 * An uploaded file. Its content is stored in the data folder under a random name. It belongs to the organization of the
 * document it is attached to. A file attached to a user belongs to that user; an unattached file belongs to its owner. API
 * tokens can access the files of their organization as far as their scopes cover the document, but never a user's own files.
 */
export const FileDoctype = doctype('File', {
  module: 'core',
  tenant: { kind: 'attachment', organization: 'organization' },
  area: 'files',
  naming: 'random',
  title_field: 'file_name',
  plural: 'Files',
  fields: {
    /**
     * Slug; null for personal files. Not a link field: deleting the organization deletes its files instead of being
     * rejected.
     */
    organization: data({ ...found, hidden: true }),
    file_name: data({ reqd: true, in_list_view: true }),
    is_private: check({ ...chosen, default: 1 }),
    /** Bytes. */
    file_size: int({ ...found, default: 0, in_list_view: true }),
    /** `/private/files/NAME` or `/files/NAME`; an external URL if the file was only linked. */
    file_url: data({ ...chosen, length: 2000 }),
    /** Frappe's virtual folder: a label, not a path. */
    folder: data({ ...chosen, default: 'Home' }),
    is_folder: check({ ...chosen }),
    attached_to_doctype: data({ ...chosen, in_standard_filter: true }),
    attached_to_name: data({ ...chosen, length: 300 }),
    attached_to_field: data({ ...chosen }),
    /** SHA-256 of the content, in hex. */
    content_hash: data({ ...found, length: 64 }),
    /** Detected from the content, not from the name: `PNG`, `PDF`, `TXT` … */
    file_type: data({ ...found, length: 20, in_list_view: true }),
    /** Random name of the stored content; null if the file was only linked. */
    stored_name: data({ server_owned: true, hidden: true, length: 80, unique: true }),
  },
  list: { order_by: 'creation desc' },
  indexes: [
    { fields: ['organization', 'creation', 'name'] },
    { fields: ['attached_to_doctype', 'attached_to_name'] },
    { fields: ['owner', 'creation'] },
  ],
  permissions: {
    Owner: asAttached,
    'Organization Admin': asAttached,
    'Organization Manager': asAttached,
    'Organization User': asAttached,
    User: asAttached,
    Self: asAttached,
  },
})

/** A file document. */
export type StoredFile = Doc<typeof FileDoctype>
