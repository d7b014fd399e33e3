import { resolve } from 'node:path'
import type { Db } from '#server/contracts/transaction.ts'
import { largest, verifyChains, type RecordedHead } from './chain.ts'
import { findInconsistency, headFilePath, readHeadLines } from './head-file.ts'
import { isAuthentic, textOf, type HeadLine, type LineSeals } from './head-lines.ts'

/** Options for verifying the activity log. */
export interface VerifyAuditOptions {
  readonly db: Db
  readonly dataDir: string
  /** A copy of the recorded heads, or an email that contains one; null: only the installation's own file. */
  readonly heads: string | null
  /** Called only if there are recorded heads, because it needs the key ring. */
  readonly seals: () => Promise<LineSeals>
}

/** Authentic recorded heads, gathered from files. */
interface Gathered {
  readonly recorded: Map<string, Map<number, RecordedHead>>
  /** Text of each genuine line in the copy that our own file must also contain, by line number. */
  readonly given: Map<number, string>
  /** Genuine lines, and those of them in our own file. */
  lines: number
  own: number
  readonly problems: string[]
  /** What makes the copy useless, and says nothing of the log. */
  readonly doubts: string[]
  readonly notes: string[]
}

/**
 * Verifies every chain of the activity log, internally and against the heads recorded outside the database, and reports one
 * line per finding. Returns whether everything is valid.
 */
export async function verifyAudit(options: VerifyAuditOptions, print: (line: string) => void): Promise<boolean> {
  const gathered: Gathered = {
    recorded: new Map(),
    given: new Map(),
    lines: 0,
    own: 0,
    problems: [],
    doubts: [],
    notes: [],
  }
  await gather(options, gathered)
  for (const note of gathered.notes) print(`! ${note}`)
  const { problems, doubts } = gathered
  for (const problem of [...problems, ...doubts]) print(`✗ ${problem}`)
  let intact = problems.length === 0
  await verifyChains(
    options.db,
    ({ chain, fitting, lastHash, problem }) => {
      intact &&= problem === null
      const subject = chain === '' ? 'platform' : chain
      const entries = `${fitting} ${fitting === 1 ? 'entry fits' : 'entries fit'}`
      print(
        problem === null ? `✓ ${subject}: ${entries}, last hash ${lastHash}` : `✗ ${subject}: ${problem}; ${entries}`,
      )
    },
    { recorded: gathered.recorded },
  )
  const compared =
    gathered.lines === 0
      ? ''
      : ` It was compared with ${gathered.lines} recorded ${gathered.lines === 1 ? 'head' : 'heads'}.`
  if (!intact) print('The activity log was tampered with. The first broken link is named above.')
  else if (doubts.length === 0) print(`The activity log is whole.${compared}`)
  else if (gathered.own > 0)
    print(
      'The activity log fits what this installation recorded itself. The given file proves nothing of it: look where it comes from, and give another.',
    )
  else
    print(
      'The activity log only fits itself, which proves nothing: no genuine head is recorded, neither here nor in the given file. Unless this installation is new, somebody removed what it had recorded, or its keys.',
    )
  return intact && doubts.length === 0
}

async function gather({ dataDir, heads, seals }: VerifyAuditOptions, gathered: Gathered): Promise<void> {
  const own = headFilePath(dataDir)
  let opened: LineSeals | null = null
  /** Returns whether it is genuine. */
  const take = async (line: HeadLine, file: string): Promise<boolean> => {
    opened ??= await seals()
    if (!(await isAuthentic(line, opened))) {
      const found = file === own ? gathered.problems : gathered.doubts
      found.push(
        `${file}: line ${line.n} does not bear this installation’s seal: it was changed, comes from elsewhere, or its key was removed from the database`,
      )
      return false
    }
    gathered.lines += 1
    const chain = gathered.recorded.get(line.chain) ?? new Map<number, RecordedHead>()
    gathered.recorded.set(line.chain, chain)
    const was = chain.get(line.entries)
    if (was !== undefined && was.hash !== line.hash)
      gathered.problems.push(`${file}: line ${line.n} contradicts what was recorded ${was.recorded}`)
    else chain.set(line.entries, { hash: line.hash, recorded: `on ${line.at} (line ${line.n} of ${file})` })
    return true
  }
  if (heads !== null && resolve(heads) !== resolve(own)) {
    const reading = readHeadLines(own)
    const first = await reading.next()
    await reading.return(undefined)
    const ownId = first.done === true ? null : first.value.file
    let [isEmpty, strange] = [true, false]
    for await (const line of readHeadLines(heads, true)) {
      isEmpty = false
      const isGenuine = await take(line, heads)
      if (line.file !== ownId) strange = true
      else if (isGenuine) gathered.given.set(line.n, textOf(line))
    }
    if (isEmpty) gathered.doubts.push(`${heads} holds no recorded heads`)
    if (strange)
      gathered.notes.push(
        `${heads} holds lines that ${own} cannot confirm: ${ownId === null ? 'there is no such file' : `it began anew on ${String(first.value?.at)}`}`,
      )
  }
  await gatherOwn(own, gathered, take)
}

/** Our own file must be complete and contain every line that is in the copy. */
async function gatherOwn(own: string, gathered: Gathered, take: (line: HeadLine, file: string) => Promise<boolean>) {
  let last: HeadLine | null = null
  let problem: string | null = null
  for await (const line of readHeadLines(own)) {
    problem ??= findInconsistency(last, line)
    last = line
    const copy = gathered.given.get(line.n)
    if (copy !== undefined && copy !== textOf(line)) problem ??= `line ${line.n} is not the one of the copy`
    // What is in the copy was taken from there.
    if (copy === textOf(line) || (copy === undefined && (await take(line, own)))) gathered.own += 1
  }
  const end = last?.n ?? 0
  const furthest = largest(gathered.given.keys())
  if (furthest > end) problem ??= `it ends with line ${end}, and the copy has line ${furthest}`
  if (problem !== null) gathered.problems.push(`${own}: ${problem}`)
}
