import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts about members, shared by all screens that manage them. */
export const tMember = createCatalog({
  'role_hint.Organization Admin': 'Everything except billing and ownership',
  'role_hint.Organization Manager': 'All sites and servers, invites members',
  'role_hint.Organization User': 'Own and shared sites, development servers only',
  'role.changed': '{name} is now {role}',
  'role.failed': 'The role was not changed',
  'remove.title': 'Remove {name} from {organization}?',
  'remove.access': 'Access ends immediately, in every browser and connection.',
  'remove.counting': 'Loading details…',
  'remove.sites':
    '{count, plural, one {1 site of theirs stays in the organization.} other {# sites of theirs stay in the organization.}}',
  'remove.shares': '{count, plural, one {Access to 1 shared site ends.} other {Access to # shared sites ends.}}',
  'remove.tokens': '{count, plural, one {1 API token stops working.} other {# API tokens stop working.}}',
  'remove.invitations':
    '{count, plural, one {1 open invitation they sent is withdrawn.} other {# open invitations they sent are withdrawn.}}',
  'remove.confirm': 'Remove',
  'remove.done': '{name} was removed',
  'owner.title': 'Make {name} the owner of {organization}?',
  'owner.text':
    'The owner manages billing and the modules, and can delete the organization. There is one owner: you stay an admin. Both of you are notified.',
  'owner.confirm': 'Make owner',
  'owner.done': '{name} is the owner now',
  'leave.title': 'Leave {organization}?',
  'leave.text': 'You lose access immediately. Sites you created stay in the organization.',
  'leave.confirm': 'Leave',
})
