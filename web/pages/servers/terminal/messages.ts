import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of web terminals of servers. */
export const tTerminal = createCatalog({
  'terminal.title': 'Web terminal',
  'terminal.text':
    'A shell on the server as {user}, here on this page. What it shows is recorded for the admins of the organization; what you type is not, unless the server shows it. It ends after {count, plural, one {# minute} other {# minutes}} without input.',
  'terminal.open': 'Open terminal',
  'terminal.again': 'Open a new terminal',
  'terminal.connecting': 'Connecting…',
  'terminal.close': 'Close terminal',
  'terminal.label': 'Terminal of {server}',
  'terminal.leave': 'To leave the terminal with the keyboard, press Esc, then Tab.',
  'terminal.screen_reader': 'Screen reader mode',
  'terminal.screen_reader_hint': 'Announces new output and makes lines readable one by one.',
  'end.exited': 'The shell ended.',
  'end.exited_code': 'The shell ended with exit code {code}.',
  'end.left': 'The terminal was closed.',
  'end.idle': 'The terminal ended because nobody typed anything for {count, plural, one {# minute} other {# minutes}}.',
  'end.denied': 'The terminal ended because your role or the state of the server no longer allows it.',
  'end.lost': 'The connection between Easydash and the server broke. Programs that ran in the terminal have ended.',
  'end.full': 'The terminal ended because its recording is full.',
  'end.unrecorded': 'The terminal ended because it couldn’t be recorded. Try again in a moment.',
  'end.stopped': 'The terminal ended because Easydash is restarting. Open a new one in a moment.',
  'end.interrupted': 'The terminal ended when Easydash did.',
  'end.page_lost':
    'The connection to Easydash broke, which ended the terminal. You may have been signed out, or your role changed.',
  'recordings.title': 'Recordings of terminals',
  'recordings.text':
    'Who had a terminal on this server and what it showed. The last {count} are kept, for {days} days.',
  'recordings.none': 'Nobody has opened a terminal yet.',
  'recordings.open': 'Open',
  'recordings.lasted': 'Lasted {duration}',
  'recordings.empty': 'Nothing was recorded.',
  'recordings.download': 'Download',
  'recordings.download_of': 'Download the recording of {user}',
  'recordings.error': 'Recordings didn’t load',
})
