import { randomBytes } from 'node:crypto'
import { sizeOf } from '#server/platform/files/size-of.ts'
import { chainName, currentHeads, rewrittenChains, type Head } from './chain-heads.ts'
import { raiseAlarm } from './head-alarm.ts'
import { addWaiting, deliverLines, loadWaiting } from './head-delivery.ts'
import type { FileState, HeadExportContext } from './head-export-context.ts'
import { appendLines, readHeadFile } from './head-file.ts'
import { digestOf, sealLine, type HeadLine } from './head-lines.ts'

/** Records changes since the last run, raises an alarm for what was rewritten, and delivers the new lines. */
export async function recordHeads(context: HeadExportContext): Promise<void> {
  const { path } = context
  if (context.file !== null && (await sizeOf(path)) < context.file.bytes) {
    await raiseAlarm(context, [`${path} was cut or removed after line ${context.file.last?.n ?? 0}`])
    context.file = null
  }
  context.file ??= await loadFile(context)
  const { file } = context
  const { heads } = file
  const { current, rewritten } = await context.deps.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      const found = await currentHeads(trx)
      return { current: found, rewritten: await rewrittenChains(trx, [...heads.values()], found) }
    })
  await raiseAlarm(
    context,
    rewritten.map(({ chain, recorded }) =>
      recorded === null
        ? `${chainName(chain)}: the head of the chain does not know its last entry`
        : `${chainName(chain)}: entry number ${recorded.entries} is gone or another one than on ${recorded.at} (line ${recorded.n} of ${path})`,
    ),
  )
  const broken = new Set(rewritten.map(({ chain }) => chain))
  const changed = current.filter(
    ({ chain, entries }) => !broken.has(chain) && entries !== (heads.get(chain)?.entries ?? 0),
  )
  await appendHeads(context, file, changed)
  await deliverLines(context)
}

async function loadFile(context: HeadExportContext): Promise<FileState> {
  const { path } = context
  const { last, heads, problem, bytes } = await readHeadFile(path)
  if (problem !== null) await raiseAlarm(context, [`${path}: ${problem}`])
  await loadWaiting(context)
  return { id: last?.file ?? randomBytes(6).toString('hex'), last, heads: new Map(heads), bytes }
}

/** Appends a line for each head to the file. */
async function appendHeads(context: HeadExportContext, file: FileState, heads: readonly Head[]): Promise<void> {
  const { clock, seals } = context.deps
  const lines: HeadLine[] = []
  const at = new Date(clock.now()).toISOString()
  for (const { chain, entries, hash } of heads) {
    const before: HeadLine | null = lines.at(-1) ?? file.last
    const previous = before === null ? '' : digestOf(before)
    const line = { n: (before?.n ?? 0) + 1, file: file.id, at, chain, entries, hash, previous }
    lines.push(await sealLine(line, seals))
  }
  if (lines.length === 0) return
  file.bytes = await appendLines(context.path, lines)
  file.last = lines.at(-1) ?? file.last
  for (const line of lines) file.heads.set(line.chain, line)
  addWaiting(context, lines)
}
