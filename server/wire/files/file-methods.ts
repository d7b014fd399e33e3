import { AppError } from '#shared/errors.ts'
import { maxFileSize } from '#shared/doctypes/file.ts'
import * as z from 'zod/mini'
import { binary, bit, caller, timestamp, described } from '#shared/schema.ts'
import type { FileStore, FileRequest } from '#server/contracts/files.ts'
import { msg } from '#shared/localized-message.ts'
import { ref } from '../openapi/fields.ts'
import { awaitParseSlot } from '../request/body-limits.ts'
import type { Params } from '../request/parameters.ts'
import type { WireMethod } from '../methods/method-registry.ts'
import { attachMethod, uploadMethod } from './read-multipart.ts'
import { booleanParameter, optionalText, requiredText } from '../request/parameter-values.ts'

const fileSchema = z.object({
  name: z.string(),
  doctype: z.literal('File'),
  owner: caller,
  creation: timestamp,
  modified: timestamp,
  modified_by: z.string(),
  docstatus: z.int(),
  idx: z.int(),
  file_name: z.string(),
  is_private: bit,
  file_size: described(z.int(), 'Bytes'),
  file_url: z.string(),
  folder: z.string(),
  is_folder: bit,
  attached_to_doctype: z.nullable(z.string()),
  attached_to_name: z.nullable(z.string()),
  attached_to_field: z.nullable(z.string()),
  content_hash: z.nullable(described(z.string(), 'SHA-256 in hex')),
  file_type: z.nullable(described(z.string(), 'Found from the content, e.g. PNG')),
})

const note = (description: string, reqd?: true) => ({
  description,
  schema: { type: 'string' } as const,
  ...(reqd ? { reqd } : {}),
})
const privacy = {
  description: '0: everybody who has the address can open it. Otherwise only its owner and readers of the document.',
  schema: ref('Flag'),
}
const target = {
  doctype: note('Doctype of the document it is attached to; together with docname. Needs write permission there.'),
  docname: note('Name of that document.'),
}

/** Parameters that both upload methods share. */
function fileRequestOf(params: Params): Omit<FileRequest, 'upload' | 'fileUrl' | 'fileName' | 'docfield'> {
  return {
    // Private by default.
    isPrivate: booleanParameter(params, 'is_private', true),
    folder: optionalText(params, 'folder'),
    doctype: optionalText(params, 'doctype'),
    docname: optionalText(params, 'docname'),
    fieldname: optionalText(params, 'fieldname'),
  }
}

/** Frappe's three file methods. */
export function fileMethods(files: FileStore): readonly WireMethod[] {
  const write = {
    access: 'self',
    verbs: ['POST', 'PUT'],
    rawParams: true,
    aboutDocument: true,
    // The scope for the target document is required as well.
    tokens: 'files:write',
  } as const
  return [
    {
      ...write,
      verbs: ['POST'],
      name: uploadMethod,
      description: `Stores the file of a multipart body (part \`file\`, at most ${maxFileSize / 2 ** 20} MiB) and attaches it to a document.`,
      documented: {
        file: { description: 'The file, with its name.', schema: binary },
        ...target,
        is_private: privacy,
        fieldname: note('Field of the document the file is meant for.'),
        folder: note('A label, default Home.'),
        file_url: note('Instead of a file: an address to link, or the address of a file here to copy.'),
        file_name: note('Name instead of the one sent with the file.'),
      },
      returns: fileSchema,
      run(params, { session, upload }) {
        if (optionalText(params, 'method') !== null)
          throw new AppError('unsupported', msg`Uploads cannot call another method.`, { field: 'method' })
        return files.attach(session, {
          ...fileRequestOf(params),
          upload,
          fileUrl: optionalText(params, 'file_url'),
          fileName: optionalText(params, 'file_name'),
          docfield: null,
        })
      },
    },
    {
      ...write,
      name: attachMethod,
      description: 'Stores a content sent as text or base64 and attaches it to a document.',
      documented: {
        filename: note('Name of the file.', true),
        filedata: note('The content.', true),
        doctype: note(target.doctype.description, true),
        docname: note(target.docname.description, true),
        decode_base64: { description: '1 when filedata is base64.', schema: ref('Flag') },
        is_private: privacy,
        folder: note('A label, default Home.'),
        docfield: note("Field of the document that gets the file's address."),
      },
      returns: fileSchema,
      async run(params, { session }) {
        const fileName = requiredText(params, 'filename')
        const wanted = { ...fileRequestOf(params), fileUrl: null, fileName, docfield: optionalText(params, 'docfield') }
        for (const name of ['doctype', 'docname']) requiredText(params, name)
        const data = requiredText(params, 'filedata')
        // Reading the request body has already taken a turn.
        await awaitParseSlot(data.length)
        const content = contentOf(data, booleanParameter(params, 'decode_base64', false))
        const upload = await files.receive(oneChunk(content), fileName)
        try {
          return await files.attach(session, { ...wanted, upload })
        } finally {
          await upload.discard()
        }
      },
    },
    {
      access: 'guest',
      verbs: ['GET'],
      rawParams: true,
      aboutDocument: true,
      tokens: 'any',
      name: 'frappe.handler.download_file',
      description: 'Streams a file: a private one to its owner and to readers of the document it is attached to.',
      documented: { file_url: note('Address of the file, as its document has it.', true) },
      returns: binary,
      run: (params, { session }) => files.open(session, requiredText(params, 'file_url')),
    },
  ]
}

/** Bytes of a sent text; base64 may be a data URL, as produced by browsers. */
function contentOf(text: string, isBase64: boolean): Buffer {
  if (!isBase64) return Buffer.from(text, 'utf8')
  const data = text.replace(/^data:[^,]{0,200};base64,/, '').replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(data))
    throw new AppError('invalid', msg`filedata is not valid base64.`, { field: 'filedata' })
  return Buffer.from(data, 'base64')
}

async function* oneChunk(content: Buffer): AsyncGenerator<Buffer> {
  yield content
}
