import type { LogName } from '#shared/rules/site-logs.ts'
import { readAccessLine } from '#shared/rules/access-line.ts'
import { expect } from 'vitest'
import type { SiteSpec } from '#server/engines/engine.ts'
import type { LogChunk } from '#server/engines/site-logs.ts'
import { failureOf } from './engine-failure.ts'
import { needs, type TestedEngine } from './needs.ts'

/** What only a test can do: make a site write. */
export interface LogWriter {
  /** Adds text to one of the logs that the site itself writes. */
  addToLog(site: SiteSpec, log: Exclude<LogName, 'access'>, text: string): Promise<void>
  /** Sends an email from the site and returns its id; null if the engine delivers emails. */
  readonly sendMail:
    | ((site: SiteSpec, mail: { to: string; subject: string; message: string; headers: string }) => Promise<string>)
    | null
}

/** The part of the contract about logs and captured emails. `wp` is a WordPress site, `html` one without PHP; both run. */
export function describeLogs(
  get: () => { engine: TestedEngine; writer: LogWriter; wp: SiteSpec; html: SiteSpec },
): void {
  /** Reads on after a position until nothing is left. */
  const readOn = async (log: LogName, after: string): Promise<{ lines: string[]; last: LogChunk }> => {
    const { engine, wp } = get()
    const lines: string[] = []
    for (let from = after; ;) {
      const chunk = await engine.logs.read(wp, log, { after: from })
      lines.push(...chunk.lines)
      from = chunk.end
      if (!chunk.more) return { lines, last: chunk }
    }
  }

  needs(get, 'logs')('lists the logs a site of its kind has', async () => {
    const { engine, wp, html } = get()
    expect((await engine.logs.sources(wp)).map(({ name }) => name)).toEqual(['php', 'debug', 'access'])
    expect((await engine.logs.sources(html)).map(({ name }) => name)).toEqual(['access'])
    expect((await failureOf(() => engine.logs.read(html, 'php', { from: 'end' }))).code).toBe('unsupported')
  })

  needs(get, 'logs')('reads a log on without gap or repetition, and back to its beginning', async () => {
    const { engine, writer, wp } = get()
    await engine.logs.clear(wp, 'debug')
    expect((await engine.logs.read(wp, 'debug', { from: 'end' })).lines).toEqual([])
    const written = Array.from({ length: 5_000 }, (_, index) => `line ${index} ${'x'.repeat(index % 90)}`)
    await writer.addToLog(
      wp,
      'debug',
      written
        .slice(0, 4_000)
        .map((line) => `${line}\n`)
        .join(''),
    )
    const end = await engine.logs.read(wp, 'debug', { from: 'end' })
    expect(end).toMatchObject({ more: false, gap: null, partial: '' })
    expect(end.lines.at(-1)).toBe(written[3_999])
    await writer.addToLog(wp, 'debug', `${written.slice(4_000, 4_990).join('\n')}\nbegun`)
    const on = await readOn('debug', end.end)
    expect(on).toMatchObject({ lines: written.slice(4_000, 4_990), last: { partial: 'begun', gap: null } })
    await writer.addToLog(wp, 'debug', ' and ended\n')
    expect(await readOn('debug', on.last.end)).toMatchObject({ lines: ['begun and ended'], last: { partial: '' } })
    const before: string[] = [...end.lines]
    for (let start = end.start; start !== null;) {
      const earlier: LogChunk = await engine.logs.read(wp, 'debug', { before: start })
      before.unshift(...earlier.lines)
      start = earlier.start
    }
    expect(before).toEqual(written.slice(0, 4_000))
    const all = await engine.logs.read(wp, 'debug', { from: 'start' })
    expect(all).toMatchObject({ more: true, start: null })
    expect([...all.lines, ...(await readOn('debug', all.end)).lines].slice(0, 4_990)).toEqual(written.slice(0, 4_990))
  })

  needs(get, 'logs')('says that a log was emptied, even if it is longer than before by then', async () => {
    const { engine, writer, wp } = get()
    await writer.addToLog(wp, 'php', '[24-Nov-2026 20:00:00 UTC] PHP Warning:  first\n')
    const { end } = await engine.logs.read(wp, 'php', { from: 'end' })
    await engine.logs.clear(wp, 'php')
    expect((await engine.logs.sources(wp))[0]?.bytes).toBe(0)
    expect(await engine.logs.read(wp, 'php', { after: end })).toMatchObject({ lines: [], gap: 'emptied' })
    await writer.addToLog(wp, 'php', '[24-Nov-2026 20:00:01 UTC] PHP Warning:  second\n'.repeat(3))
    expect(await engine.logs.read(wp, 'php', { after: end })).toMatchObject({
      lines: Array.from({ length: 3 }, () => '[24-Nov-2026 20:00:01 UTC] PHP Warning:  second'),
      gap: 'emptied',
    })
    for (const after of ['', 'x', '../../etc/passwd', 'a.1.zz', 'a.99999999999999999999.000000000000'])
      expect((await failureOf(() => engine.logs.read(wp, 'php', { after }))).code).toBe('invalid')
  })

  needs(get, 'logs')('shows text, never control characters, and cuts long lines', async () => {
    const { engine, writer, wp } = get()
    const { end } = await engine.logs.read(wp, 'php', { from: 'end' })
    await writer.addToLog(wp, 'php', `\u001B[31mred\u001B[0m \u0000\u202Egnp.exe\r\n${'y'.repeat(1_000_000)}\nshort\n`)
    const { lines } = await readOn('php', end)
    expect([lines[0], lines[1]?.length, lines[2]]).toEqual(['red gnp.exe', 4_094, 'short'])
  })

  needs(get, 'logs')('logs requests without secrets, and empties that log, too', async () => {
    const { engine, wp, html } = get()
    const { end } = await engine.logs.read(wp, 'access', { from: 'end' })
    await engine.request(wp, '/nothing-here?token=hush-hush')
    const { lines } = await readOn('access', end)
    expect(lines.join('\n')).toMatch(/"GET \/nothing-here\S* HTTP\/1.1" 404/)
    expect(lines.join('\n')).not.toContain('hush-hush')
    expect(lines.map((line) => readAccessLine(line)?.status)).toContain(404)
    await engine.logs.clear(wp, 'access')
    expect(await engine.logs.read(wp, 'access', { from: 'end' })).toMatchObject({ lines: [], partial: '' })
    await engine.request(wp, '/')
    expect((await readOn('access', end)).last.gap).not.toBe(undefined)
    await engine.request(html, '/style.css')
    expect((await engine.logs.read(html, 'access', { from: 'end' })).lines.join('\n')).toContain('/style.css')
  })

  needs(get, 'logs')('keeps the emails a site sends until they are deleted, or says that it keeps none', async () => {
    const { engine, writer, wp, html } = get()
    const { sendMail } = writer
    if (sendMail === null) {
      const refused = [
        () => engine.logs.mails(wp),
        () => engine.logs.mail(wp, 'one'),
        () => engine.logs.deleteMail(wp, 'one'),
        () => engine.logs.clearMails(wp),
      ]
      for (const call of refused) expect(await failureOf(call)).toMatchObject({ code: 'unsupported' })
      return
    }
    await engine.logs.clearMails(wp)
    expect(await engine.logs.mails(wp)).toMatchObject({ mails: [], total: 0 })
    expect(await engine.logs.mails(html)).toMatchObject({ mails: [], total: 0 })
    const first = { to: 'ada@example.com', subject: 'One', message: 'Hello', headers: 'From: shop@example.com' }
    const one = await sendMail(wp, first)
    const text = '<p>Hi <b>Ada</b>, 50% of a_b and c\\d</p>'
    const two = await sendMail(wp, {
      ...first,
      subject: 'Two',
      message: text,
      headers: 'Content-Type: text/html; charset=UTF-8\nReply-To: x@example.com',
    })
    const page = await engine.logs.mails(wp)
    expect(page).toMatchObject({ total: 2 })
    expect(new Map(page?.mails.map(({ id, to }) => [id, to]))).toEqual(
      new Map([one, two].map((id) => [id, 'ada@example.com'])),
    )
    expect(await engine.logs.mail(wp, one)).toMatchObject({
      ...{ subject: 'One', from: 'shop@example.com', body: 'Hello', isHtml: false, isCut: false },
    })
    expect(await engine.logs.mail(wp, two)).toMatchObject({
      ...{ body: text, isHtml: true },
      headers: expect.arrayContaining([{ name: 'Reply-To', value: 'x@example.com' }]),
    })
    const found = async (search: string) => (await engine.logs.mails(wp, { search }))?.mails.map(({ id }) => id)
    expect(await found('hELLO')).toEqual([one])
    expect(await found('<b>ada')).toEqual([two])
    for (const search of ['50%', 'a_b', 'c\\d', '%', '_', '\\'])
      expect([search, await found(search)]).toEqual([search, [two]])
    for (const search of ['.*', '5_%', 'a%b', 'axb', 'c\\\\d'])
      expect([search, await found(search)]).toEqual([search, []])
    expect(new Set(await found('ada@'))).toEqual(new Set([one, two]))
    expect(await engine.logs.mails(wp, { search: 'ada@', skip: 1 })).toMatchObject({ total: 2, isPartial: false })
    await engine.logs.deleteMail(wp, one)
    await engine.logs.deleteMail(wp, one)
    expect(await engine.logs.mail(wp, one)).toBeNull()
    for (const id of ['', '../site', '../../site.json', 'x'.repeat(500)]) {
      expect(await engine.logs.mail(wp, id)).toBeNull()
      await engine.logs.deleteMail(wp, id)
    }
    expect(await engine.logs.mails(wp)).toMatchObject({ total: 1 })
    expect(await engine.logs.mails(wp, { skip: 1 })).toMatchObject({ mails: [], total: 1 })
    await engine.logs.clearMails(wp)
    expect(await engine.logs.mails(wp)).toMatchObject({ mails: [], total: 0 })
  })
}
