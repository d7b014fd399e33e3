import { doctype, type Doc, type RolePermission, type Rule } from '../doctype.ts'
import { check, data, int } from '../fields.ts'

/**
 * Doctypes to whose documents files can be attached. A new entity joins by its name here; until then an upload to it is
 * refused, so that no file ever hangs on something whose readers nobody thought about.
 */
export const attachableDoctypes = ['Organization', 'User', 'Server', 'Site'] as const

/** Most bytes of one file (docs/security.md). */
export const maxFileSize = 10 * 1024 * 1024

const own = ['owner', '=', '$user'] as const
const read: Rule = { any: [own, { attached_to: attachableDoctypes, may: 'read' }] }
const change: Rule = {
  any: [{ all: [own, ['attached_to_name', 'is', 'not set']] }, { attached_to: attachableDoctypes, may: 'write' }],
}
/** The same for every role: what somebody may do to a file follows from the document it is attached to. */
const asAttached: RolePermission = { read, write: change, delete: change }

/** Facts of the stored content: the server finds them out. */
const found = { read_only: true, server_owned: true } as const

/**
 * An uploaded file. Its content lies in the data folder, below a random name. It belongs to the organization of the
 * document it is attached to; attached to a user it goes with that person, attached to nothing it is its owner's. API
 * tokens reach the files of their organization, as far as their scopes reach the document; a person's own never.
 */
export const FileDoctype = doctype('File', {
  module: 'core',
  tenant: { kind: 'attachment', organization: 'organization' },
  area: 'files',
  naming: 'random',
  title_field: 'file_name',
  plural: 'Files',
  fields: {
    /** Slug; null for personal files. No link: the organization's end takes its files along instead of being refused. */
    organization: data({ ...found, hidden: true }),
    file_name: data({ reqd: true, in_list_view: true }),
    is_private: check({ ...found, default: 1 }),
    /** Bytes. */
    file_size: int({ ...found, default: 0, in_list_view: true }),
    /** `/private/files/NAME` or `/files/NAME`; another address when the file was only linked. */
    file_url: data({ ...found, length: 2000 }),
    /** Frappe's virtual folders: a label, never a path. */
    folder: data({ ...found, default: 'Home' }),
    is_folder: check({ ...found }),
    attached_to_doctype: data({ ...found, in_standard_filter: true }),
    attached_to_name: data({ ...found, length: 300 }),
    attached_to_field: data({ ...found }),
    /** SHA-256 of the content, in hex. */
    content_hash: data({ ...found, length: 64 }),
    /** Found from the content, never from the name: `PNG`, `PDF`, `TXT` … */
    file_type: data({ ...found, length: 20, in_list_view: true }),
    /** Random name of the stored content; null when the file was only linked. */
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
