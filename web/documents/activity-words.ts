import { described } from '#web/lib/catalogue.ts'

/** What people read for an activity's key, in the past tense after the person's name. */
const words: Readonly<Record<string, string>> = {
  'site.create': 'created the site',
  'site.archive': 'deleted the site to the archive',
  'site.restore_archive': 'restored the site from the archive',
  'site.delete': 'deleted the site for good',
  'site.set_php_version': 'changed the PHP version',
  'site.login_link': 'opened the admin',
  'site.insert': 'added the site',
  'site.update': 'changed the site',
  'site.share': 'shared the site',
  'site.unshare': 'ended the sharing of the site',
  'site.set_owner': 'handed the site over',
  'activity.export': 'exported the activities',
  'server.insert': 'added the server',
  'server.update': 'changed the server',
  'server.refresh_facts': 'measured the server',
  'job.cancel': 'cancelled a job',
  'job.retry': 'retried a job',
  'organization.insert': 'created the organization',
  'organization.update': 'changed the organization',
  'organization.test_connection': 'tested a connection',
  'organization.clear_credentials': 'removed credentials',
  'organization.set_modules': 'switched the modules',
  'organization.make_server_access_token': 'made a server access token',
  'organization.revoke_server_access_token': 'revoked the server access token',
  'organization.transfer_ownership': 'handed the organization over',
  'organization.leave': 'left the organization',
  'subscription organization.change_plan': 'changed the plan',
  'subscription organization.cancel_plan': 'cancelled the plan',
  'subscription organization.reactivate_plan': 'reactivated the plan',
  'subscription.scheduled_plan': 'moved to the scheduled plan',
  'subscription.canceled': 'ended the cancelled plan',
  'billing profile.update': 'changed the billing profile',
  'platform.set_limits': 'changed the granted limits',
  'platform.user_rights': 'changed the rights of an account',
  'platform.read_mail': 'read a mail of the outbox',
  login: 'signed in',
  logout: 'signed out',
}

const verbs: Readonly<Record<string, string>> = {
  insert: 'added',
  update: 'changed',
  delete: 'removed',
  create: 'created',
}

/** Words for an action key like `site.create`; unknown keys read as their own words. */
export function activityWords(action: string): string {
  return described(english(action))
}

/** The same as a text of its own, as in a column: "Changed the site". */
export function activityTitle(action: string): string {
  const text = english(action)
  return described(text.charAt(0).toUpperCase() + text.slice(1))
}

function english(action: string): string {
  const key = action.toLowerCase()
  const known = words[key]
  if (known) return known
  const [subject = '', verb = ''] = key.split('.')
  const noun = subject.replaceAll('_', ' ')
  if (verb === '') return noun
  return verbs[verb] ? `${verbs[verb]} the ${noun}` : `${verb.replaceAll('_', ' ')} (${noun})`
}
