import { check, data, int, json, link } from '../fields.ts'

/** The firewall of a server as it was last read there. */
export interface ServerFirewall {
  readonly enabled: boolean
  /** Addresses and ranges that reach every port. */
  readonly allow: readonly string[]
  /** Addresses and ranges that reach nothing but SSH. */
  readonly block: readonly string[]
  /** Addresses that fail2ban keeps off the SSH server for a while. */
  readonly banned: readonly string[]
}

const byAdmins = { Owner: true, 'Organization Admin': true } as const
const byManagers = { ...byAdmins, 'Organization Manager': true } as const

/** Machines that this installation connects to; it does not change the one it runs on. */
const onServers = ['engine', '!=', 'local'] as const
const ofProviders = ['cloud_provider', '!=', 'Custom'] as const

const reachable = ['Healthy', 'Degraded'] as const
/** Also while it does not answer. */
const known = [...reachable, 'Disconnected'] as const

const addresses = { is_list: 'texts', max_bytes: 8_192 } as const

/** Actions on the machine of a server, and that say whose it is. */
export const serverOperations = {
  set_sites_owner: {
    label: 'Choose the owner',
    activity: 'chose the owner of the sites that the server had',
    allow: byAdmins,
    for: ['is_imported_with_ee', '=', 1],
    args: {
      new_owner: link('User', { reqd: true, label: 'Owner' }),
      sites: json<string[]>({
        ...{ is_list: 'texts', max_bytes: 65_536, hidden: true, label: 'Sites' },
        description: 'Names of some of them. Default: all that nobody owns.',
      }),
    },
    rights_of: ['new_owner'],
    returns: 'OwnedSites',
    hidden: true,
  },
  reboot: {
    label: 'Reboot',
    keywords: ['Restart'],
    activity: 'rebooted the server',
    allow: byManagers,
    from: known,
    for: onServers,
    confirm:
      '{count, plural, one {Its sites are offline until it has started again, usually for a minute.} other {Their sites are offline until they have started again, usually for a minute.}}',
    job: true,
  },
  resync: {
    label: 'Resync',
    keywords: ['Sync'],
    activity: 'read the settings of the server again',
    allow: byManagers,
    from: known,
    for: onServers,
    job: true,
  },
  upgrade_easyengine: {
    label: 'Upgrade EasyEngine',
    phrase: 'Upgrade EasyEngine on {title}',
    activity: 'upgraded EasyEngine',
    allow: byManagers,
    from: reachable,
    for: onServers,
    confirm:
      '{count, plural, one {Containers are made again; its sites are offline for a moment. EasyEngine can’t be downgraded afterward.} other {Containers are made again; their sites are offline for a moment. EasyEngine can’t be downgraded afterward.}}',
    job: true,
  },
  resize: {
    label: 'Resize',
    activity: 'changed the machine type',
    allow: byAdmins,
    from: known,
    for: ofProviders,
    args: { vm_type: data({ reqd: true, length: 60, label: 'Machine type' }) },
    confirm: 'The server is off for some minutes. It keeps its disk, and costs what the new type costs.',
    job: true,
    hidden: true,
  },
  order_elsewhere: {
    label: 'Choose another region or size',
    activity: 'ordered the machine of the server elsewhere',
    allow: byAdmins,
    from: ['Failed'],
    for: ofProviders,
    args: {
      vm_country: data({ reqd: true, length: 2, label: 'Country' }),
      vm_region: data({ reqd: true, length: 60, label: 'Region' }),
      vm_type: data({ reqd: true, length: 60, label: 'Machine' }),
      vm_ebs_size: int({ min: 8, max: 16_384, label: 'Disk size' }),
    },
    confirm: 'The creation goes on there. If there is a machine already, it is deleted.',
    job: true,
    hidden: true,
  },
  snapshot: {
    label: 'Take snapshot',
    activity: 'took a snapshot of the server',
    allow: byAdmins,
    from: known,
    for: ofProviders,
    args: { label: data({ reqd: true, length: 60, label: 'Label' }) },
    confirm: 'The image stays at the provider and costs money there until you delete it in the provider’s console.',
    job: true,
    hidden: true,
  },
  set_timezone: {
    label: 'Change time zone',
    activity: 'changed the time zone',
    allow: byAdmins,
    from: reachable,
    for: onServers,
    args: { timezone: data({ reqd: true, length: 64, format: 'timezone', label: 'Time zone' }) },
    job: true,
    hidden: true,
  },
  set_swap: {
    label: 'Change swap',
    activity: 'changed the swap',
    allow: byAdmins,
    from: reachable,
    for: onServers,
    args: { megabytes: int({ reqd: true, min: 0, max: 32_768, label: 'Swap (MB)' }) },
    job: true,
    hidden: true,
  },
  set_automatic_updates: {
    label: 'Automatic updates',
    activity: 'changed automatic updates',
    allow: byAdmins,
    from: reachable,
    for: onServers,
    args: { enabled: check({ label: 'On' }) },
    job: true,
    hidden: true,
  },
  firewall: {
    label: 'Firewall',
    activity: 'changed the firewall',
    allow: byAdmins,
    from: reachable,
    for: onServers,
    args: {
      enabled: check({ label: 'On' }),
      allow: json<string[]>({ ...addresses, label: 'Allowed addresses', description: 'Left out: as they are.' }),
      block: json<string[]>({ ...addresses, label: 'Blocked addresses', description: 'Left out: as they are.' }),
    },
    job: true,
    hidden: true,
  },
  unban: {
    label: 'Let in again',
    activity: 'let a banned address in again:',
    allow: byAdmins,
    from: reachable,
    for: onServers,
    args: { address: data({ reqd: true, length: 45, format: 'ip', label: 'Address' }) },
    job: true,
    hidden: true,
  },
  open_terminal: {
    label: 'Open terminal',
    activity: 'requested a terminal on the server',
    allow: byAdmins,
    from: known,
    for: onServers,
    reauth: true,
    tokens: false,
    while_locked: true,
    returns: 'OpenedTerminal',
    hidden: true,
  },
  get_terminals: {
    label: 'Show recordings of terminals',
    allow: byAdmins,
    for: onServers,
    reads: true,
    tokens: 'members:read',
    returns: 'ServerTerminals',
    while_locked: true,
    hidden: true,
  },
  get_terminal_recording: {
    label: 'Download recording',
    activity: 'downloaded the recording of a terminal of the server',
    allow: byAdmins,
    for: onServers,
    args: { terminal: data({ reqd: true, length: 40, label: 'Terminal' }) },
    reauth: true,
    tokens: false,
    while_locked: true,
    returns: 'TerminalRecording',
    hidden: true,
  },
  change_owner: {
    label: 'Transfer ownership',
    activity: 'transferred the server',
    allow: byAdmins,
    args: { new_owner: link('User', { reqd: true, label: 'New owner' }) },
    returns: 'Owner',
    while_locked: true,
    hidden: true,
  },
  candidates_for_change_owner: {
    label: 'Possible owners',
    allow: byAdmins,
    reads: true,
    tokens: 'members:read',
    returns: 'People',
    hidden: true,
  },
} as const
