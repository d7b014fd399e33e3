import { doctypes } from './doctypes/registry.ts'

/** Wording of activities that are no declared action: changes of documents, jobs, sign-ins, acts of the platform. */
const otherActivities: Readonly<Record<string, string>> = {
  'site.create': 'created the site',
  'site.delete': 'permanently deleted the site',
  'site.insert': 'started creating the site',
  'site.update': 'changed the site',
  'site.sync_users': 'removed former WordPress users',
  'activity.export': 'exported the activities',
  'server.create': 'created the server',
  'server.insert': 'added the server',
  'server.update': 'changed the server',
  'server.push_keys': 'updated the SSH keys on the server',
  'organization.insert': 'created the organization',
  'organization.update': 'changed the organization',
  'connection.insert': 'added a connection',
  'connection.update': 'changed a connection',
  'connection.delete': 'removed a connection',
  'subscription.scheduled_plan': 'moved to the scheduled plan',
  'subscription.canceled': 'ended the canceled plan',
  'billing profile.update': 'changed the billing profile',
  'platform.set_limits': 'changed the granted limits',
  'platform.set_site_quotas': 'changed the granted site quotas',
  'platform.user_rights': 'changed the rights of an account',
  'platform.read_mail': 'read an email in the outbox',
  'job.insert': 'started a job',
  'organization.delete': 'deleted the organization',
  'organization.switch': 'switched to the organization',
  'organization member.insert': 'added a member',
  'organization member.update': 'changed the role of a member',
  'organization member.delete': 'removed a member',
  'member invite.insert': 'created an invitation',
  'member invite.update': 'changed an invitation',
  'member invite.delete': 'removed an invitation',
  'member invite.accept': 'accepted an invitation',
  'member invite.decline': 'declined an invitation',
  'user.insert': 'created an account',
  'user.update': 'changed an account',
  'user.delete': 'deleted an account',
  'server.delete': 'removed the server',
  'docshare.insert': 'gave access',
  'docshare.update': 'changed access',
  'docshare.delete': 'removed access',
  'file.insert': 'uploaded a file',
  'file.update': 'changed a file',
  'file.delete': 'deleted a file',
  'platform settings.insert': 'created the platform settings',
  'platform settings.update': 'changed the platform settings',
  'platform settings.delete': 'deleted the platform settings',
  'plan.insert': 'created a plan',
  'plan.update': 'changed a plan',
  'plan.delete': 'deleted a plan',
  'site quota.insert': 'created site quotas',
  'site quota.update': 'changed site quotas',
  'site quota.delete': 'deleted site quotas',
  'subscription organization.insert': 'started the subscription',
  'subscription organization.update': 'changed the subscription',
  'subscription organization.delete': 'removed the subscription',
  'api token.insert': 'created an API token',
  'api token.update': 'changed an API token',
  'api token.delete': 'removed an API token',
  'saved view.insert': 'saved a list view',
  'saved view.update': 'changed a list view',
  'saved view.delete': 'deleted a list view',
  'account.sign_up': 'signed up',
  'account.verify_email': 'confirmed the email address',
  'account.login': 'logged in',
  'account.logout': 'logged out',
  'account.confirm_password': 'confirmed the password',
  'account.change_password': 'changed the password',
  'account.reset_password': 'requested a new password',
  'account.change_email': 'changed the email address',
  'account.enable_two_factor': 'turned on two-factor authentication',
  'account.disable_two_factor': 'turned off two-factor authentication',
  'account.new_recovery_codes': 'created new recovery codes',
  'account.end_session': 'ended a session',
  'account.end_sessions': 'ended all other sessions',
  'account.forget_settings': 'cleared settings of an unconfirmed account',
  'denials.repeated': 'was repeatedly denied access',
  'installation.export': 'exported the installation',
  'installation.import': 'imported the installation',
}

const wordings = new Map(Object.entries(otherActivities))
for (const { name, actions = {} } of doctypes) {
  for (const [key, { activity }] of Object.entries(actions)) {
    if (activity !== undefined) wordings.set(`${name}.${key}`.toLowerCase(), activity)
  }
}

/**
 * English wording of an activity by its key in the log (`Site.share`, in any case), in the past tense, shown after the user's
 * name: that of the action's declaration, if it is one. Undefined for keys that this release doesn't know.
 */
export function activityWording(key: string): string | undefined {
  return wordings.get(key.toLowerCase())
}
