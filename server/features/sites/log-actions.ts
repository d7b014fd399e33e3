import { controller, type Controller } from '#server/contracts/controller.ts'
import type { LogRange, Mail, MailSummary } from '#server/engines/site-logs.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { LogName } from '#shared/rules/site-logs.ts'
import type { SitesDeps } from './deps.ts'
import { findInLog } from './find-in-log.ts'
import { siteCall } from './site-call.ts'

/** Actions about the logs of a site and the emails it sent. All of them call the engine after the transaction. */
export function logActions(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    actions: {
      log_sources: (site, _args, { tx }) =>
        siteCall(deps, tx, site, {
          needs: 'logs',
          run: async (engine, ref) =>
            (await engine.logs.sources(ref)).map(({ name, bytes, changedAt }) => ({
              name,
              bytes,
              changed: changedAt === null ? null : formatTimestamp(changedAt),
            })),
        }),

      read_log: (site, { log, after, before, from_start: fromStart, containing }, { tx }) => {
        const range = rangeOf(after, before, fromStart === 1)
        if (containing !== null && ('after' in range || fromStart === 1))
          throw new AppError('invalid', msg`A search goes back: send containing with before or without a position.`, {
            field: 'containing',
          })
        return siteCall(deps, tx, site, {
          needs: 'logs',
          run: async (engine, ref) => {
            const read = (where: LogRange) => engine.logs.read(ref, logOf(log), where)
            return { ...(await (containing === null ? read(range) : findInLog(read, range, containing))) }
          },
        })
      },

      clear_log: (site, { log }, { tx }) =>
        siteCall(deps, tx, site, {
          needs: 'logs',
          changes: true,
          unseen: true,
          entry: { after: { log } },
          run: async (engine, ref) => {
            await engine.logs.clear(ref, logOf(log))
            return null
          },
        }),

      list_mails: (site, { skip, known, search }, { tx }) =>
        siteCall(deps, tx, site, {
          needs: 'logs',
          run: async (engine, ref) => {
            const page = await engine.logs.mails(ref, {
              skip: Math.max(0, skip ?? 0),
              ...(known === null ? {} : { known }),
              ...(search === null ? {} : { search }),
            })
            if (page === null) return null
            const { isPartial, mails, ...rest } = page
            return { ...rest, partial: isPartial, mails: mails.map(listedMail) }
          },
        }),

      read_mail: (site, { mail }, { tx }) =>
        siteCall(deps, tx, site, {
          needs: 'logs',
          run: async (engine, ref) => {
            const found = mail === null ? null : await engine.logs.mail(ref, mail)
            if (found === null)
              throw new AppError(
                'conflict',
                msg`This email can’t be shown: it was deleted, or is too large or damaged.`,
              )
            return openedMail(found)
          },
        }),

      delete_mail: (site, { mail }, { tx }) =>
        siteCall(deps, tx, site, {
          needs: 'logs',
          changes: true,
          unseen: true,
          entry: { after: { mail } },
          run: async (engine, ref) => {
            if (mail !== null) await engine.logs.deleteMail(ref, mail)
            return null
          },
        }),

      clear_mails: (site, _args, { tx }) =>
        siteCall(deps, tx, site, {
          needs: 'logs',
          changes: true,
          unseen: true,
          run: async (engine, ref) => {
            await engine.logs.clearMails(ref)
            return null
          },
        }),
    },
  })
}

/** The argument's own description allows no other value. */
function logOf(log: LogName | null): LogName {
  return log ?? 'php'
}

function rangeOf(after: string | null, before: string | null, fromStart: boolean): LogRange {
  if ([after !== null, before !== null, fromStart].filter(Boolean).length > 1)
    throw new AppError('invalid', msg`Send only one of after, before and from_start.`, { field: 'after' })
  if (after !== null) return { after }
  if (before !== null) return { before }
  return { from: fromStart ? 'start' : 'end' }
}

function listedMail({ at, ...mail }: MailSummary): Record<string, unknown> {
  return { ...mail, at: formatTimestamp(at) }
}

function openedMail({ at, isHtml, isCut, ...mail }: Mail): Record<string, unknown> {
  return { ...mail, at: formatTimestamp(at), is_html: isHtml, cut: isCut }
}
