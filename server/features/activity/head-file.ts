import { constants } from 'node:fs'
import { chmod, mkdir, open, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sizeOf } from '#server/platform/files/size-of.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { digestOf, linesIn, textOf, type HeadLine } from './head-lines.ts'

/** Path of the head file in a data folder. */
export const headFilePath = (dataDir: string): string => join(dataDir, 'audit', 'heads.log')

/** State of a head file after reading it. */
export interface HeadFileState {
  /** The last line, or null if empty. */
  readonly last: HeadLine | null
  /** The last line of each chain. */
  readonly heads: ReadonlyMap<string, HeadLine>
  /** The first gap or broken link between lines; null if there is none. */
  readonly problem: string | null
  readonly bytes: number
}

/** Reads the lines of a file in order; none if it does not exist. `follow`: also follows symbolic links. */
export async function* readHeadLines(path: string, follow = false): AsyncGenerator<HeadLine> {
  const flags = constants.O_RDONLY | (follow ? 0 : constants.O_NOFOLLOW)
  const file = await open(path, flags).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT' && !follow) return null
    throw error
  })
  if (file === null) return
  try {
    yield* linesIn(file.readLines({ encoding: 'utf8', autoClose: false }))
  } finally {
    await file.close()
  }
}

/** Describes what is wrong between two consecutive lines; null if they are consistent. */
export function findInconsistency(before: HeadLine | null, line: HeadLine): string | null {
  const expected = (before?.n ?? 0) + 1
  if (before !== null && line.file !== before.file) return `line ${line.n} comes from another file`
  if (line.n > expected)
    return line.n === expected + 1 ? `line ${expected} is missing` : `lines ${expected} to ${line.n - 1} are missing`
  if (line.n < expected) return `line ${line.n} stands after line ${before?.n}`
  if (line.previous !== (before === null ? '' : digestOf(before)))
    return `line ${line.n} does not follow the one before`
  return null
}

/** Reads the whole file. */
export async function readHeadFile(path: string): Promise<HeadFileState> {
  const heads = new Map<string, HeadLine>()
  let last: HeadLine | null = null
  let problem: string | null = null
  for await (const line of readHeadLines(path)) {
    problem ??= findInconsistency(last, line)
    heads.set(line.chain, line)
    last = line
  }
  return { last, heads, problem, bytes: await sizeOf(path) }
}

/** Appends lines, flushed to disk, and returns the new size. Readers skip a line that a crash cut short. */
export async function appendLines(path: string, lines: readonly HeadLine[]): Promise<number> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await chmod(dirname(path), 0o700)
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW
  const file = await open(path, flags, 0o600)
  try {
    const isTruncated = await endsWithin(file)
    await file.appendFile(`${isTruncated ? '\n' : ''}${lines.map(textOf).join('\n')}\n`)
    await file.datasync()
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}

/** Whether the last line was cut short by a crash. */
async function endsWithin(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat()
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() !== '\n'
}
