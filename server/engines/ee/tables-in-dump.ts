import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'

/** Bytes at the beginning of a line that are looked at: names of tables, columns and keys are shorter. */
const headBytes = 65_536
const [newline, end] = [10, 59]

const settings = /^(?:\/\*!\d{5} )?SET /
const statement = /^(CREATE TABLE|INSERT INTO) `((?:[^`]|``)*)`/
const foreignKey = /^\s+CONSTRAINT .{1,2000} FOREIGN KEY .{1,8000} REFERENCES `((?:[^`]|``)*)`/
const trigger = /^\/\*!\d{5} CREATE\*\/ .{0,2000} ON `((?:[^`]|``)*)` FOR EACH ROW/

/** What a line belongs to. Bodies of triggers can have lines like those of the dump. */
type Place = 'outside' | 'statement' | 'body'

/**
 * The statements of a dump that make some tables, under other names: `names` has both. The dump is one of `mariadb-dump` or `mysqldump`, whose
 * statements begin on a line of their own, and whose texts have their line breaks escaped. Throws EngineError `unsupported` for a table with
 * foreign keys or triggers, or that foreign keys refer to; `invalid` for one that is not there.
 */
export async function* tablesIn(
  dump: AsyncIterable<Buffer>,
  names: ReadonlyMap<string, string>,
): AsyncGenerator<Buffer, void, undefined> {
  const missing = new Set(names.keys())
  let place: Place = 'outside'
  let current = ''
  let passes = false
  let isBegin = true
  let last = 0
  let held: Buffer = Buffer.alloc(0)

  /** Looks at the beginning of a line, and returns what takes the place of how many bytes of it. */
  const begin = (head: string): { text: string; bytes: number } => {
    if (place === 'body') {
      const on = trigger.exec(head)?.[1]
      if (on !== undefined && names.has(on)) throw depends(on)
    } else if (place === 'statement') {
      const to = foreignKey.exec(head)?.[1]
      if (to !== undefined && (names.has(current) || names.has(to))) throw depends(names.has(current) ? current : to)
    } else {
      const [found = '', verb, name = ''] = statement.exec(head) ?? []
      const other = names.get(name)
      passes = other !== undefined || settings.test(head)
      if (head.startsWith('DELIMITER ;;')) place = 'body'
      else if (found !== '') {
        place = 'statement'
        current = name
      }
      if (other === undefined) return { text: '', bytes: 0 }
      if (verb === 'CREATE TABLE') missing.delete(name)
      const before = verb === 'CREATE TABLE' ? `DROP TABLE IF EXISTS \`${other}\`;\n` : ''
      return { text: `${before}${verb} \`${other}\``, bytes: found.length }
    }
    return { text: '', bytes: 0 }
  }
  const endLine = (head: string): void => {
    isBegin = true
    if (place === 'body' && head.trimEnd() === 'DELIMITER ;') place = 'outside'
    if (place === 'statement' && last === end) place = 'outside'
    if (place !== 'statement') passes = false
  }

  let head = ''
  for await (const chunk of withLastLine(dump)) {
    const data = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    held = Buffer.alloc(0)
    const out: Buffer[] = []
    for (let at = 0; at < data.length;) {
      const lineEnd = data.indexOf(newline, at)
      const to = lineEnd < 0 ? data.length : lineEnd
      let from = at
      if (isBegin) {
        if (lineEnd < 0 && to - at < headBytes) {
          held = data.subarray(at)
          break
        }
        head = data.toString('latin1', at, Math.min(to, at + headBytes))
        const { text, bytes } = begin(head)
        if (text !== '') out.push(Buffer.from(text))
        from += bytes
        isBegin = false
        last = 0
      }
      if (to > at) last = data[to - 1] ?? 0
      const next = Math.min(to + 1, data.length)
      if (passes) out.push(data.subarray(from, next))
      if (lineEnd >= 0) endLine(head)
      at = next
    }
    if (out.length > 0) yield Buffer.concat(out)
  }
  for (const table of missing)
    throw new EngineError('invalid', msg`The dump of the backup has no table ${table}.`, {
      nextAction: msg`Restore the database.`,
    })
}

async function* withLastLine(dump: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  yield* dump
  yield Buffer.from([newline])
}

const depends = (table: string): EngineError =>
  new EngineError(
    'unsupported',
    msg`The table ${table} has foreign keys or triggers, so it cannot be restored alone.`,
    { nextAction: msg`Restore the database.` },
  )
