import {
  loadFor,
  isMember,
  organizationOf,
  accessContextIn,
  referenceOf,
  DeniedError,
} from '#server/documents/documents.ts'
import type { TypeByName } from '#server/contracts/type-by-name.ts'
import type { FileRequest } from '#server/contracts/files.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { FileDoctype, type StoredFile } from '#shared/doctypes/file.ts'
import { AppError } from '#shared/errors.ts'
import { sanitizeSingleLine } from '#shared/rules/texts.ts'
import { msg, labelMessage } from '#shared/localized-message.ts'
import { cleanFileName } from './file-name.ts'
import type { ReceivedContent } from './storage.ts'

/** Content fields of a new file document. */
export interface StoredContent {
  readonly url: string
  readonly storedName: string | null
  readonly size: number
  readonly hash: string | null
  readonly label: string | null
}

/** Fields that attach the file to its target, which is checked and locked in the same transaction. */
export async function attachedFields(
  tx: Tx,
  session: Session,
  request: FileRequest,
  typeByName: TypeByName,
): Promise<Record<string, unknown>> {
  if (request.doctype === null || request.docname === null) {
    if (request.doctype !== null || request.docname !== null)
      throw incomplete(request.doctype === null ? 'doctype' : 'docname')
    return { organization: await ownOrganization(tx, session) }
  }
  const type = typeByName(request.doctype)
  if (!type)
    throw new AppError('not_found', msg`DocType ${request.doctype.slice(0, 140)} not found`, { field: 'doctype' })
  const caller = { db: tx.trx, session, typeByName }
  const { doc, accessContext } = await loadFor(caller, type, request.docname, 'write', { lock: true })
  if (!type.attachments)
    throw new AppError('invalid', msg`Files cannot be attached to ${labelMessage(type.plural ?? type.name)}.`, {
      field: 'doctype',
    })
  for (const field of ['fieldname', 'docfield'] as const) {
    const name = request[field]
    if (name !== null && !Object.hasOwn(type.fields, name))
      throw new AppError('invalid', msg`${labelMessage(type.name)} has no field ${name.slice(0, 140)}.`, { field })
  }
  // Documents of a user belong to no organization: the user's picture is visible in all of them.
  const personal = type.tenant.kind === 'user'
  // Platform admins can change account states, but not personal content.
  if (personal && !accessContext.roles.includes('Self'))
    throw new DeniedError(referenceOf(type, doc), 'write', { message: msg`You cannot attach files to other people.` })
  if (personal) await assertUploadAllowed(tx, session, request)
  return {
    organization: personal ? null : organizationOf(type, doc, session),
    attached_to_doctype: type.name,
    attached_to_name: doc.name,
    attached_to_field: request.fieldname ?? request.docfield,
  }
}

/** Maximum number of files attached to one user: no organization owner can manage these. */
const maxPersonal = 20

/**
 * Accounts can be created with made-up addresses, so unverified users must not be able to publish files or fill the disk.
 */
async function assertUploadAllowed(tx: Tx, session: Session, request: FileRequest): Promise<void> {
  if (!session.verified && !request.isPrivate)
    throw new AppError('forbidden', msg`Verify your email address first; until then your files are private.`, {
      field: 'is_private',
      excType: 'PermissionError',
    })
  const count = await tx.count(FileDoctype, [
    ['attached_to_doctype', '=', 'User'],
    ['attached_to_name', '=', session.user],
  ])
  if (count >= maxPersonal)
    throw new AppError('limit_reached', msg`You have ${maxPersonal} files of your own already.`, {
      field: 'file',
      nextAction: msg`Delete one you do not need.`,
    })
}

/** Inserts the document of content that is already on disk. */
export async function insertFile(
  tx: Tx,
  request: FileRequest,
  attached: Record<string, unknown>,
  content: StoredContent,
): Promise<StoredFile> {
  const file = await tx.insert(FileDoctype, {
    ...attached,
    file_name: cleanFileName(request.fileName ?? request.upload?.fileName ?? content.url.split(/[?#]/)[0] ?? ''),
    is_private: request.isPrivate ? 1 : 0,
    folder: folderOf(request.folder),
    file_url: content.url,
    file_size: content.size,
    file_type: content.label,
    content_hash: content.hash,
    stored_name: content.storedName,
  })
  if (content.storedName !== null) tx.countBytes(file.organization, content.size)
  return file
}

/** URL of stored content. */
export function urlOf(storedName: string, isPrivate: boolean): string {
  return `${isPrivate ? '/private' : ''}/files/${storedName}`
}

/** Content fields of a stored upload. */
export function uploadedContent(received: ReceivedContent, storedName: string, isPrivate: boolean): StoredContent {
  const { size, hash, type } = received
  return { url: urlOf(storedName, isPrivate), storedName, size, hash, label: type.label }
}

/** An external URL, kept as a link and never fetched by us. */
export function linkedContent(url: string): StoredContent {
  const isWeb = URL.canParse(url) && /^https?:\/\//i.test(url) && url.length <= 2000
  if (!isWeb)
    throw new AppError('invalid', msg`file_url must be an http or https address, or one of a file here.`, {
      field: 'file_url',
    })
  return { url: new URL(url).href, storedName: null, size: 0, hash: null, label: null }
}

function incomplete(field: string): AppError {
  return new AppError('invalid', msg`The parameter ${field} is missing: doctype and docname come together.`, { field })
}

/** Unattached files belong to the member's chosen organization; others cannot store any. */
async function ownOrganization(tx: Tx, session: Session): Promise<string | null> {
  const accessContext = await accessContextIn(tx.trx, session, session.organization)
  if (isMember(accessContext)) return accessContext.organization
  throw new AppError('forbidden', msg`Only members of an organization can upload files that are attached to nothing.`)
}

/** A label; it is never used as a path. */
function folderOf(folder: string | null): string {
  return [...sanitizeSingleLine(folder ?? '')].slice(0, 140).join('') || 'Home'
}
