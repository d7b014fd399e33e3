import * as z from 'zod/mini'
import { described } from '../schema.ts'

const modified = described(z.int(), 'Milliseconds since 1970')

/** A part of a folder (`list_files`). */
export const fileListing = z.object({
  entries: z.array(
    z.object({
      name: z.string(),
      kind: described(
        z.enum(['file', 'folder', 'other']),
        'other: a link, a special file, or a name that is not valid text; none can be opened',
      ),
      size: described(z.int(), 'Bytes; 0 for folders'),
      modified,
    }),
  ),
  total: described(z.int(), 'Entries of the folder, of which at most 200,000 are read'),
  next: described(z.nullable(z.int()), 'The `start` of the next part; null after the last one'),
})

/** A part of a folder. */
export type FileListing = z.infer<typeof fileListing>
/** An entry of a folder. */
export type FileEntry = FileListing['entries'][number]

/** A file as text (`read_file`). */
export const fileText = z.object({
  content: described(z.nullable(z.string()), 'Null: not text, or larger than 1 MiB'),
  version: described(z.nullable(z.string()), 'Names this content when it is replaced; null without content'),
  size: described(z.int(), 'Bytes'),
  modified,
})

/** A file as text. */
export type FileText = z.infer<typeof fileText>

/** The new content's version (`write_file`). */
export const fileWritten = z.object({ version: z.string() })

/** Where deleted files are in the trash (`delete_files`). */
export const filesDeleted = z.object({ trash: described(z.string(), 'What `restore_files` takes') })

/** What was restored (`restore_files`). */
export const filesRestored = z.object({ paths: z.array(z.string()) })

/** What is in the trash (`list_trash`), newest first. */
export const fileTrash = z.array(
  z.object({ trash: z.string(), paths: z.array(z.string()), deleted: described(z.int(), 'Milliseconds since 1970') }),
)

/** What was deleted together. */
export type TrashedFiles = z.infer<typeof fileTrash>[number]

/** What an uploaded file replaced (`put_file`, and the response of its upload). */
export const fileTaken = z.object({
  trash: described(z.nullable(z.string()), 'The replaced file in the trash; null if there was none'),
})
