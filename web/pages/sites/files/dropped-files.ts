import { pathIn } from '#shared/rules/site-files.ts'

/** A file to upload, and its path below the folder it was dropped into. */
export interface ChosenFile {
  readonly file: File
  readonly path: string
}

/** Maximum files of one drop. */
export const maxChosen = 5_000

/** Files of a file input; those of a chosen folder have their path in it. */
export function chosenFiles(files: readonly File[]): ChosenFile[] {
  return files.slice(0, maxChosen).map((file) => ({ file, path: file.webkitRelativePath || file.name }))
}

/** Files and folders of a drop, with everything in them. Call it in the event: later the browser has forgotten them. */
export async function droppedFiles(transfer: DataTransfer): Promise<ChosenFile[]> {
  const entries = [...transfer.items].flatMap((item) => {
    const entry = item.kind === 'file' ? item.webkitGetAsEntry() : null
    return entry === null ? [] : [entry]
  })
  if (entries.length === 0) return chosenFiles([...transfer.files])
  const found: ChosenFile[] = []
  const pending: { entry: FileSystemEntry; folder: string }[] = entries.map((entry) => ({ entry, folder: '' }))
  for (let next = pending.shift(); next !== undefined && found.length <= maxChosen; next = pending.shift()) {
    const { entry, folder } = next
    const path = pathIn(folder, entry.name)
    if (isFile(entry)) found.push({ file: await fileOf(entry), path })
    else if (isFolder(entry)) for (const inner of await entriesOf(entry)) pending.push({ entry: inner, folder: path })
  }
  return found.slice(0, maxChosen)
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => {
    entry.file(resolve, reject)
  })
}

/** A reader gives a folder in parts, of which the last is empty. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject)
    })
    if (part.length === 0 || all.length > maxChosen) return all
    all.push(...part)
  }
}
