/** A line of the access log of a site. Texts are as they were sent by a visitor. */
export interface AccessFields {
  /** Milliseconds since 1970; null if it can't be read. */
  readonly at: number | null
  /** `-`: a request of Easydash itself. */
  readonly address: string
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly status: number
  readonly bytes: string
  readonly referrer: string
  readonly agent: string
  /** Milliseconds until the visitor had the whole response; null if the server does not say. */
  readonly tookMs: number | null
  /** Milliseconds that the site itself took; null if it was not asked, or had to be started first. */
  readonly siteMs: number | null
}

/**
 * The combined format of Apache and nginx, with two more numbers where Easydash writes it: the milliseconds the response took, and those of them the site took, or
 * `-`. Quotes inside the quoted parts are escaped.
 * https://httpd.apache.org/docs/current/logs.html#combined
 */
const form =
  /^(\S+) \S+ \S+ \[(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}:\d{2}:\d{2}) \+0000\] "(\S+) (\S+) HTTP\/[\d.]+" (\d{3}) (\d+|-) "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"(?: (\d+) (\d+|-))?$/

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Reads a line; null if it has another form. */
export function readAccessLine(line: string): AccessFields | null {
  const [, address, day, month = '', year, time, method, target, status, bytes, referrer, agent, took, site] =
    form.exec(line) ?? []
  if (address === undefined || method === undefined || target === undefined) return null
  const at = Date.parse(`${year}-${String(months.indexOf(month) + 1).padStart(2, '0')}-${day}T${time}Z`)
  return {
    at: Number.isNaN(at) ? null : at,
    ...{ address, method, target, bytes: bytes ?? '-', referrer: referrer ?? '-', agent: agent ?? '-' },
    status: Number(status),
    tookMs: took === undefined ? null : Number(took),
    siteMs: site === undefined || site === '-' ? null : Number(site),
  }
}
