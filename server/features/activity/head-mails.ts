import type { Mail } from '#server/platform/mail/mail.ts'
import { renderMail, type MailSender } from '#server/platform/mail/render-mail.ts'
import { textOf, type HeadLine } from './head-lines.ts'

const command = 'npm run easydash -- audit verify --heads FILE'

/** The newest lines, to be kept outside the reach of anyone who takes over the database. */
export function checkpointMail(sender: MailSender, to: string, lines: readonly HeadLine[]): Mail {
  const last = lines.at(-1)
  return renderMail(sender, {
    to,
    kind: 'audit_checkpoint',
    subject: `Activity log checkpoint of ${sender.productName}, ${last?.at.slice(0, 10) ?? ''}`,
    before: [
      'Keep this email. The lines below prove later that no entry of the activity log from before this moment was changed or removed.',
      lines.map(textOf).join('\n'),
    ],
    after: [
      `To check, save this email as a text file and run: ${command}`,
      'These emails come once a day when something has happened. If they stop although people work, find out why.',
    ],
  })
}

/** Email about a mismatch between the log and its recorded heads. */
export function alarmMail(sender: MailSender, to: string, findings: readonly string[]): Mail {
  return renderMail(sender, {
    to,
    kind: 'audit_alarm',
    subject: `The activity log of ${sender.productName} was changed`,
    before: [
      'The activity log no longer agrees with what was recorded of it outside the database. Somebody with access to the database may have changed it, or an older database was put back.',
      findings.join('\n'),
    ],
    after: [
      'Run "npm run easydash -- audit verify" to see where it differs.',
      'If you put back an older database yourself, move the file data/audit/heads.log to a safe location: a new one is started.',
    ],
  })
}
