import { check, data, datetime, json, link } from '../../fields.ts'
import { multisiteKinds } from '../../rules/multisite.ts'
import { sharedGrants } from './grants.ts'

/** Staging sites and pushes from them. */
export const stagingFields = {
  /** The site whose staging site it is; it may be deleted by now. */
  staging_of: link('Site', { read_only: true, server_owned: true, label: 'Staging of' }),
  /** When a staging site was pushed to it, while the state before is kept. */
  pushed_at: datetime({ read_only: true, server_owned: true, label: 'Pushed' }),
  /** Name of that staging site. */
  pushed_from: data({ read_only: true, server_owned: true, length: 253, label: 'Pushed from' }),
} as const

/** Actions about staging. */
export const stagingActions = {
  create_staging: {
    label: 'Create staging site',
    keywords: ['Clone', 'Copy', 'Test'],
    activity: 'created the staging site',
    allow: sharedGrants('write'),
    from: ['Live'],
    // A push compares single sites.
    for: ['multisite', 'not in', multisiteKinds],
    capability: 'staging',
    args: { domain: data({ length: 253, label: 'Name', description: 'Left out: made from that of the site.' }) },
    job: true,
    returns: 'ClonedSite',
    hidden: true,
  },
  plan_push: {
    label: 'Plan a push',
    activity: 'planned a push',
    allow: sharedGrants('write'),
    from: ['Live'],
    for: ['staging_of', '!=', ''],
    capability: 'staging',
    job: true,
    hidden: true,
  },
  push_plan: {
    label: 'Plan of the push',
    allow: sharedGrants('write'),
    reads: true,
    tokens: 'sites:write',
    while_locked: true,
    returns: 'PushPlan',
    hidden: true,
  },
  push_staging: {
    label: 'Push to the live site',
    activity: 'pushed to the live site',
    allow: sharedGrants('write'),
    from: ['Live'],
    for: ['staging_of', '!=', ''],
    capability: 'staging',
    args: {
      what: json<string[]>({ reqd: true, is_list: 'texts', max_bytes: 100, label: 'What' }),
      dry_run: check({ description: 'Compares both sites and says what would be done, which becomes the plan.' }),
      made_at: data({
        length: 40,
        label: 'When the plan was made',
        description: 'Left out: whatever the last plan is.',
      }),
      take: json<string[]>({ label: 'Clashes in which staging is taken' }),
      take_all: json<string[]>({ label: 'Kinds of which staging is taken' }),
    },
    job: true,
    returns: 'StagingPush',
    hidden: true,
  },
  push_losses: {
    label: 'What a rollback would lose',
    allow: sharedGrants('write'),
    from: ['Live', 'Failed'],
    reads: true,
    tokens: 'sites:write',
    capability: 'staging',
    returns: 'PushLosses',
    hidden: true,
  },
  roll_back_push: {
    label: 'Roll back the push',
    keywords: ['Undo', 'Staging'],
    activity: 'rolled back the push',
    allow: sharedGrants('write'),
    from: ['Live', 'Failed'],
    capability: 'staging',
    confirm:
      'The site becomes what it was right before the push. Everything that was added or changed since then is lost: posts, orders, comments, users and uploads.',
    danger: true,
    job: true,
    hidden: true,
  },
} as const
