import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts about plan limits. */
export const tPlan = createCatalog({
  full: 'The plan is full',
  full_site:
    'The {plan} plan allows {count, plural, one {# site} other {# sites}}, and {used} exist. To make room, archive {room, plural, one {a site} other {# sites}}.',
  full_server:
    'The {plan} plan allows {count, plural, one {# server} other {# servers}}, and {used} exist. To make room, decommission {room, plural, one {a server} other {# servers}}.',
  granted: 'The limit is reached',
  granted_site:
    'The platform admin granted {count, plural, one {# site} other {# sites}}, and {used} exist. To make room, archive {room, plural, one {a site} other {# sites}}.',
  granted_server:
    'The platform admin granted {count, plural, one {# server} other {# servers}}, and {used} exist. To make room, decommission {room, plural, one {a server} other {# servers}}.',
  ask_admin: 'Ask the platform admin for a higher limit.',
  used_site: '{used} of {limit} sites are used.',
  used_server: '{used} of {limit} servers are used.',
  ask: 'Ask {owner} for a larger plan.',
  ask_owner: 'Ask the owner of the organization for a larger plan.',
  plans: 'See plans',
  close: 'Close',
  near_site: '{used} of {limit} sites of the {plan} plan are used.',
  near_server: '{used} of {limit} servers of the {plan} plan are used.',
  reached_site:
    '{count, plural, one {The one site of the {plan} plan is used.} other {All {limit} sites of the {plan} plan are used.}}',
  reached_server:
    '{count, plural, one {The one server of the {plan} plan is used.} other {All {limit} servers of the {plan} plan are used.}}',
})
