import { download } from '#server/contracts/files.ts'
import type { FileStore, FileRequest, Upload } from '#server/contracts/files.ts'
import type { Controller } from '#server/contracts/controller.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { Sweep } from '#server/contracts/schedule.ts'
import type { Session } from '#server/contracts/session.ts'
import { systemSession } from '#server/jobs/session.ts'
import { typesByName } from '#server/contracts/type-by-name.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { FileDoctype, maxFileSize, type StoredFile } from '#shared/doctypes/file.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { attachedFields, insertFile, uploadedContent, linkedContent, urlOf, type StoredContent } from './attach.ts'
import { fileControllers } from './file-controllers.ts'
import { createStorage, storedNamePattern, type ReceivedContent } from './storage.ts'
import { sweepFiles } from './sweep.ts'
import { typeOfEnding } from './content-type.ts'

/** Dependencies of the files feature. */
export interface FilesDeps {
  documents: () => Documents
  /** Descriptions of all doctypes; the product's by default. */
  doctypes?: readonly Doctype[]
  /** Folder for file contents, not accessible to others. */
  folder: string
  /** Id of this machine if several share the database: each deletes contents from its own folder. */
  machine?: string
  /** Milliseconds since epoch. */
  now?: () => number
}

/** What the files feature provides to the composition root. */
export interface Files extends Feature {
  readonly controllers: readonly Controller[]
  readonly sweeps: readonly Sweep[]
  /** For the wire layer. */
  readonly store: FileStore
}

/** Uploaded files: contents in the data folder, File documents behind permission checks. */
export function createFiles(deps: FilesDeps): Files {
  const storage = createStorage(deps.folder, deps.now)
  const types = deps.doctypes ?? doctypes
  const contents = new WeakMap<Upload, ReceivedContent>()

  /** Moves the content to its final location; `undo` removes it again if the transaction fails. */
  async function storeContent(
    session: Session,
    request: FileRequest,
  ): Promise<{ content: StoredContent; undo(): Promise<void> }> {
    const received = request.upload ? contents.get(request.upload) : undefined
    if (received) {
      const name = await received.keep()
      return { content: uploadedContent(received, name, request.isPrivate), undo: () => storage.remove(name) }
    }
    if (request.fileUrl === null) throw new AppError('invalid', msg`No file was sent.`, { field: 'file' })
    if (!request.fileUrl.startsWith('/'))
      return { content: linkedContent(request.fileUrl), undo: () => Promise.resolve() }
    const source = await readable(session, request.fileUrl)
    const name = await storage.copy(source.stored_name as string)
    const content = {
      url: urlOf(name, request.isPrivate),
      storedName: name,
      size: source.file_size ?? 0,
      hash: source.content_hash,
      label: source.file_type,
    }
    return { content, undo: () => storage.remove(name) }
  }

  /** The document behind one of our file URLs, if the caller may read it. */
  async function readable(session: Session, fileUrl: string): Promise<StoredFile> {
    const [, privately, storedName = ''] = /^\/(private\/)?files\/([^/?#]+)$/.exec(fileUrl) ?? []
    const missing = new AppError('not_found', msg`The file does not exist.`, { field: 'file_url' })
    if (!storedNamePattern.test(storedName)) throw missing
    const documents = deps.documents()
    const file = await documents.transaction(systemSession('job'), (tx) =>
      tx.find(FileDoctype, [['stored_name', '=', storedName]]),
    )
    if (!file || (file.is_private === 1) !== (privately !== undefined)) throw missing
    if (file.is_private === 1) await mayRead(session, file, missing)
    return file
  }

  /** A file the caller cannot see is reported like a missing one, without naming its document. */
  async function mayRead(session: Session, file: StoredFile, missing: AppError): Promise<void> {
    try {
      await deps.documents().get(session, 'File', file.name)
    } catch (error) {
      throw error instanceof AppError && error.code === 'not_found' ? missing : error
    }
  }

  const store: FileStore = {
    async receive(content, fileName) {
      const received = await storage.receive(content, maxFileSize)
      const upload: Upload = { fileName, size: received.size, discard: received.discard }
      contents.set(upload, received)
      if (received.size > 0) return upload
      await received.discard()
      throw new AppError('invalid', msg`The file is empty.`, { field: 'file' })
    },

    async attach(session, request) {
      const documents = deps.documents()
      const { content, undo } = await storeContent(session, request)
      try {
        const file = await documents.transaction(session, async (tx) =>
          insertFile(tx, request, await attachedFields(tx, session, request, typesByName(types)), content),
        )
        if (request.docfield !== null) await setField(documents, session, request, file)
        return visibleFields(file)
      } catch (error) {
        await undo()
        throw error
      }
    },

    async open(session, fileUrl) {
      if (fileUrl.startsWith('/private/') && session.kind === 'guest')
        throw new AppError('forbidden', msg`Log in to open this file.`)
      const file = await readable(session, fileUrl)
      const storedName = file.stored_name as string
      const { size, open } = await storage.read(storedName)
      const { mime } = typeOfEnding(storedName.slice(storedName.indexOf('.') + 1))
      return download({
        fileName: file.file_name,
        contentType: mime,
        length: size,
        tag: file.content_hash,
        open,
      })
    },
  }

  return {
    controllers: fileControllers(types, (storedName) => storage.remove(storedName)),
    store,
    sweeps: [
      {
        name: `files.sweep ${deps.machine ?? 'this'}`,
        everySeconds: 21_600,
        atStart: true,
        run: () => sweepFiles(deps.documents(), storage, types),
      },
    ],
  }
}

/** Writes the file URL into the document's field, as the caller; deletes the file if that fails. */
async function setField(documents: Documents, session: Session, request: FileRequest, file: StoredFile): Promise<void> {
  try {
    await documents.save(session, request.doctype as string, request.docname as string, {
      [request.docfield as string]: file.file_url,
    })
  } catch (error) {
    await documents.transaction(session, (tx) => tx.delete(FileDoctype, file.name))
    throw error
  }
}

/** A new file as returned to its creator: all fields except hidden ones. */
function visibleFields(file: StoredFile): AnyDoc {
  const hidden = Object.entries(FileDoctype.fields).filter(([, field]) => 'hidden' in field)
  return Object.fromEntries(Object.entries(file).filter(([name]) => !hidden.some(([one]) => one === name))) as AnyDoc
}
