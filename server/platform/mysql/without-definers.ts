import { Transform } from 'node:stream'

/** Bytes at the beginning of a line that are looked at: names of users and hosts are shorter. */
const headBytes = 2_048
const newline = 10
const slash = 47

const accountName = '`(?:[^`\\n]|``)*`@`(?:[^`\\n]|``)*`'
/** How dump programs begin the line with the account of a view, and the one with that of a trigger. */
const ofView = new RegExp(`^(/\\*!\\d{5} )DEFINER=${accountName} `)
const ofTrigger = new RegExp(`^(/\\*!\\d{5} CREATE\\*/ )/\\*!\\d{5} DEFINER=${accountName}\\*/ `)

/**
 * Takes the accounts (DEFINER) out of a dump of `mariadb-dump` or `mysqldump`: its views and triggers then belong to whoever loads
 * it. Only lines that begin like theirs are changed, and no row does; what is missed is refused by the server, which
 * lets no ordinary user name another account.
 */
export function withoutDefiners(): Transform {
  /** The beginning of a line whose rest is still to come; null in the middle of a line. */
  let held: Buffer | null = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const data = held === null || held.length === 0 ? chunk : Buffer.concat([held, chunk])
      let at = held === null ? afterLine(data, 0) : 0
      held = null
      let written = 0
      while (at < data.length) {
        const next = afterLine(data, at)
        if (data[at] === slash) {
          if (next > data.length && data.length - at < headBytes) break
          const account = accountAt(data, at)
          if (account !== null) {
            this.push(Buffer.concat([data.subarray(written, at), account.kept]))
            written = at + account.bytes
          }
        }
        at = next
      }
      const ends = at > data.length
      if (!ends) held = data.subarray(at)
      this.push(data.subarray(written, Math.min(at, data.length)))
      done()
    },
    flush(done) {
      done(null, held)
    },
  })
}

/** Where the next line begins; behind the end if this one is not over. */
function afterLine(data: Buffer, from: number): number {
  const end = data.indexOf(newline, from)
  return end < 0 ? data.length + 1 : end + 1
}

/** The beginning of a line with an account, and what is kept of it. */
function accountAt(data: Buffer, at: number): { bytes: number; kept: Buffer } | null {
  const head = data.toString('latin1', at, at + headBytes)
  const found = ofView.exec(head) ?? ofTrigger.exec(head)
  return found === null ? null : { bytes: found[0].length, kept: Buffer.from(found[1] ?? '', 'latin1') }
}
