import { check, data, int, select } from '../../fields.ts'
import { logNames } from '../../rules/site-logs.ts'
import { sharedGrants } from './grants.ts'

const log = select(logNames, { reqd: true, label: 'Log' })
const position = (description: string) => data({ length: 200, description })
const mail = data({ reqd: true, length: 40, label: 'Email' })

/** Logs and mail contain content and visitors' addresses, so seeing them takes what changing the site takes. */
const reading = {
  allow: sharedGrants('write'),
  reads: true,
  tokens: 'sites:write',
  capability: 'logs',
  while_locked: true,
  hidden: true,
} as const

const changing = { allow: sharedGrants('write'), capability: 'logs', hidden: true } as const

/** Logs of a site, and the emails it sent that were kept instead of delivered. */
export const logActions = {
  log_sources: { ...reading, label: 'List logs', returns: 'LogSources' },
  read_log: {
    ...reading,
    label: 'Read a log',
    args: {
      log,
      after: position('`end` of an earlier answer: what follows it. Default: the last lines.'),
      before: position('`start` of an earlier answer: what precedes it.'),
      from_start: check({ description: 'The first lines.' }),
      containing: data({
        length: 200,
        description:
          'Goes back to lines with this text, in any case, 8 MB at most. Without a match, `start` is where to go on.',
      }),
    },
    returns: 'LogChunk',
  },
  clear_log: {
    ...changing,
    label: 'Empty a log',
    activity: 'emptied a log of the site',
    args: { log },
    returns: 'Nothing',
  },
  list_mails: {
    ...reading,
    label: 'List captured mail',
    args: {
      skip: int({ label: 'Skipped', description: 'Number of emails left out, newest first.' }),
      search: data({
        length: 200,
        description: 'Only emails whose addresses, subject or text contain it, in any case.',
      }),
      known: data({
        length: 100,
        description: '`version` of an earlier answer: nothing is returned if it is the same.',
      }),
    },
    returns: 'MailPage',
  },
  read_mail: { ...reading, label: 'Read captured mail', args: { mail }, returns: 'Mail' },
  delete_mail: {
    ...changing,
    label: 'Delete captured mail',
    activity: 'deleted a captured email of the site',
    args: { mail },
    returns: 'Nothing',
  },
  clear_mails: {
    ...changing,
    label: 'Delete all captured mail',
    activity: 'deleted all captured email of the site',
    returns: 'Nothing',
  },
} as const
