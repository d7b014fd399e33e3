import { check, data, link } from '../../fields.ts'
import { sharedGrants } from './grants.ts'

/** Actions that decide who can see and change a site, and whose it is. */
export const sharingActions = {
  share: {
    label: 'Share',
    activity: 'shared the site',
    allow: sharedGrants('share'),
    args: {
      user: link('User', { reqd: true, label: 'Member' }),
      read: check({ default: 1, label: 'Can view' }),
      write: check({ label: 'Can edit' }),
      share: check({ label: 'Can manage' }),
    },
    rights_of: ['user'],
    returns: 'Share',
    while_locked: true,
    hidden: true,
  },
  unshare: {
    label: 'Remove access',
    activity: 'removed access to the site',
    allow: sharedGrants('share'),
    args: { user: data({ reqd: true, length: 254, label: 'Member' }) },
    rights_of: ['user'],
    returns: 'Nothing',
    while_locked: true,
    hidden: true,
  },
  list_shares: {
    label: 'Shared with',
    allow: sharedGrants('share'),
    reads: true,
    returns: 'Shares',
    while_locked: true,
    hidden: true,
  },
  list_privileged: {
    label: 'Access without a share',
    allow: sharedGrants('share'),
    reads: true,
    returns: 'Addresses',
    while_locked: true,
    hidden: true,
  },
  set_owner: {
    label: 'Transfer ownership',
    activity: 'transferred the site',
    allow: sharedGrants('share'),
    args: { new_owner: link('User', { reqd: true, label: 'New owner' }) },
    rights_of: ['new_owner', '$owner'],
    returns: 'Owner',
    while_locked: true,
    hidden: true,
  },
} as const
