import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import * as z from 'zod/mini'
import { tarHeader, tarMembers } from '#server/platform/files/tar.ts'
import { parseJson } from '#shared/parse-json.ts'
import { maxPieces } from './cut-content.ts'
import { placed, runsOf, type Compared, type KnownContent, type Run } from './known-content.ts'

/** The format of backups that contain only what changed. Readers refuse a later version. */
const format = { name: 'easydash-increment', version: 1 } as const

/** Names in its archive, in their order. */
const names = { about: 'increment.json', added: 'added.bin', recipe: 'recipe.txt' } as const

/** Archives that a backup is put together from at most, its own included. */
export const mostArchives = 30

const blockBytes = 512
const endOfTar = Buffer.alloc(2 * blockBytes)
/** A recipe has at most a line for each piece, of at most 43 bytes. */
const [maxAboutBytes, maxRecipeBytes] = [65_536, 64 * maxPieces]
const pieceBytes = 1_048_576

const backupName = z.string().check(z.regex(/^[a-z0-9]{10}$/))
const count = z.number().check(z.nonnegative())

const aboutIncrement = z.object({
  format: z.literal(format.name),
  version: z.number(),
  backup: backupName,
  site: z.string().check(z.maxLength(253)),
  created: z.string().check(z.maxLength(40)),
  /** The archive that it is put together to. */
  bytes: count,
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  /** Backups whose archives it takes content from. */
  needs: z.array(backupName).check(
    z.maxLength(mostArchives - 1),
    z.refine((needs) => new Set(needs).size === needs.length),
  ),
})

/** `increment.json`. */
export type AboutIncrement = z.infer<typeof aboutIncrement>

/** Why an increment cannot be read. The message is a sentence for people. */
export class UnreadableIncrement extends Error {}

const blocks = (bytes: number): number => Math.ceil(bytes / blockBytes) * blockBytes

/** The archive of an increment around its new content, and what there is of the whole backup afterwards. */
export interface PackedIncrement {
  readonly head: Buffer
  readonly tail: Buffer
  readonly content: KnownContent
  readonly needs: readonly string[]
}

/** Packs an increment. */
export async function packIncrement(
  compared: Compared,
  { backup, site, created }: { readonly backup: string; readonly site: string; readonly created: string },
): Promise<PackedIncrement> {
  const { bytes, sha256, newBytes } = compared
  const needs = placed(compared.content, 0).archives.slice(0, -1)
  const about: AboutIncrement = {
    format: format.name,
    version: format.version,
    backup,
    site,
    created,
    bytes,
    sha256,
    needs: [...needs],
  }
  const mtime = Math.floor(Date.parse(created) / 1_000)
  const header = (name: string, size: number) => tarHeader({ name, type: 'file', size, mode: 0o644, mtime })
  const member = async (name: string, content: Buffer) => [
    await header(name, content.length),
    content,
    Buffer.alloc(blocks(content.length) - content.length),
  ]
  const text = Buffer.from(`${JSON.stringify(about, null, 2)}\n`)
  const head = Buffer.concat([...(await member(names.about, text)), await header(names.added, newBytes)])
  const content = placed(compared.content, head.length)
  const recipe = Buffer.from(
    runsOf(content)
      .map(({ archive, offset, length }) => `${archive} ${offset} ${length}\n`)
      .join(''),
  )
  const end = [Buffer.alloc(blocks(newBytes) - newBytes), ...(await member(names.recipe, recipe)), endOfTar]
  return { head, tail: Buffer.concat(end), content, needs }
}

/** The whole archive of an increment whose new content is in a file. */
export async function* incrementOf(
  { head, tail }: Pick<PackedIncrement, 'head' | 'tail'>,
  added: string,
): AsyncGenerator<Buffer, void, undefined> {
  yield head
  yield* createReadStream(added) as AsyncIterable<Buffer>
  yield tail
}

/** What an increment says of itself; null if the unpacked archive is none. Throws `UnreadableIncrement`. */
export async function readIncrement(
  tar: string,
): Promise<{ readonly about: AboutIncrement; readonly recipe: readonly Run[] } | null> {
  const texts = new Map<string, string>()
  if (!(await isIncrement(tar))) return null
  const [needed, largest] = [
    [names.about, names.recipe] as string[],
    { [names.about]: maxAboutBytes, [names.recipe]: maxRecipeBytes },
  ]
  for await (const { header, content } of tarMembers(createReadStream(tar))) {
    const isText = needed.includes(header.name)
    if (isText && header.size > (Reflect.get(largest, header.name) as number))
      throw new UnreadableIncrement(`Its ${header.name} is too large.`)
    const chunks: Buffer[] = []
    for await (const chunk of content) if (isText) chunks.push(chunk)
    if (isText) texts.set(header.name, Buffer.concat(chunks).toString('utf8'))
  }
  const value = parseJson(texts.get(names.about) ?? '')
  const version = typeof value === 'object' && value !== null ? Number(Reflect.get(value, 'version')) : Number.NaN
  if (version > format.version)
    throw new UnreadableIncrement(
      `It was made by a later version of Easydash (increment ${version}): update Easydash first.`,
    )
  const about = aboutIncrement.safeParse(value)
  if (!about.success) throw new UnreadableIncrement(`It is damaged: its ${names.about} cannot be read.`)
  return { about: about.data, recipe: runsIn(texts.get(names.recipe) ?? '', about.data) }
}

/** Whether an unpacked archive is an increment: it begins with what it says of itself. */
async function isIncrement(tar: string): Promise<boolean> {
  const file = await open(tar)
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(100), 0, 100, 0)
    return isIncrementHeader(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

/** See `isIncrement`, of the first bytes. */
export const isIncrementHeader = (start: Buffer): boolean =>
  start.subarray(0, names.about.length + 1).equals(Buffer.from(`${names.about}\0`))

function runsIn(recipe: string, { backup, needs, bytes }: AboutIncrement): Run[] {
  const allowed = new Set([...needs, backup])
  let total = 0
  const runs = recipe
    .split('\n')
    .slice(0, -1)
    .map((line): Run => {
      const [, archive, offset, length] = /^([a-z0-9]{10}) (\d{1,15}) (\d{1,15})$/.exec(line) ?? []
      if (archive === undefined || !allowed.has(archive))
        throw new UnreadableIncrement(`It is damaged: its ${names.recipe} cannot be read.`)
      total += Number(length)
      return { archive, offset: Number(offset), length: Number(length) }
    })
  if (total === bytes) return runs
  throw new UnreadableIncrement(`It is damaged: its ${names.recipe} names ${total} bytes instead of ${bytes}.`)
}

/**
 * The archive of a whole backup, put together from the unpacked archives that it needs. Throws `UnreadableIncrement` at its end if it is
 * not the one that was backed up.
 * @param paths of the unpacked archives, by backup
 */
export async function* putTogether(
  { about, recipe }: { readonly about: AboutIncrement; readonly recipe: readonly Run[] },
  paths: ReadonlyMap<string, string>,
): AsyncGenerator<Buffer, void, undefined> {
  const files = new Map<string, FileHandle>()
  const sum = createHash('sha256')
  try {
    for (const [name, path] of paths) files.set(name, await open(path))
    for (const { archive, offset, length } of recipe) {
      const file = files.get(archive)
      if (file === undefined) throw new UnreadableIncrement(`It needs the backup ${archive}, which is not there.`)
      for (let at = 0; at < length;) {
        const piece = Buffer.allocUnsafe(Math.min(pieceBytes, length - at))
        const { bytesRead } = await file.read(piece, 0, piece.length, offset + at)
        if (bytesRead === 0)
          throw new UnreadableIncrement(`The backup ${archive}, which it needs, is not the one that it was made with.`)
        at += bytesRead
        sum.update(piece.subarray(0, bytesRead))
        yield piece.subarray(0, bytesRead)
      }
    }
  } finally {
    for (const file of files.values()) await file.close()
  }
  if (sum.digest('hex') !== about.sha256)
    throw new UnreadableIncrement(
      'What it was put together to is not what was backed up: an archive that it needs is another one.',
    )
}
