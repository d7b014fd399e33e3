import { defineMethod, type Method } from '#server/contracts/method.ts'
import { listMails, readMail } from '#server/platform/mail/mail-outbox.ts'
import { mailStatuses } from '#shared/rules/mail-statuses.ts'
import { mailWithContent, outboxPage } from '#shared/responses/platform.ts'
import { AppError } from '#shared/errors.ts'
import { int, select } from '#shared/fields.ts'
import { msg } from '#shared/localized-message.ts'
import { newestPage, pageParams } from './paging.ts'

/** Emails that were not (or cannot be) delivered. Their links give access to accounts, so reading one is logged. */
export function outboxMethods(): Method[] {
  return [
    defineMethod({
      name: 'easydash.api.platform.outbox',
      access: 'platform',
      verbs: ['GET', 'POST'],
      description: 'Mails of the outbox, newest first, without their content. `total` counts all that match.',
      params: { status: select(mailStatuses), ...pageParams },
      returns: outboxPage,
      run: (params, { documents, session }) =>
        documents.transaction(session, (tx) =>
          listMails(tx.trx, { status: (params.status as string | undefined) ?? null, page: newestPage(params) }),
        ),
    }),
    defineMethod({
      name: 'easydash.api.platform.outbox_mail',
      access: 'platform',
      verbs: ['POST'],
      description:
        'One mail of the outbox with its text and HTML, links included. Reading it is written to the activity log. A delivered mail has no content any more.',
      params: { mail: int({ reqd: true, min: 1 }) },
      returns: mailWithContent,
      run: ({ mail: id }, { documents, session }) =>
        documents.transaction(session, async (tx) => {
          const mail = await readMail(tx.trx, Number(id))
          if (!mail) throw new AppError('not_found', msg`Mail ${Number(id)} not found`, { field: 'mail' })
          await tx.activity({
            action: 'platform.read_mail',
            reference_doctype: 'User',
            reference_name: mail.to,
            reference_title: mail.to,
            after: { kind: mail.kind, created: mail.created },
          })
          return mail
        }),
    }),
  ]
}
