import { check, data, json, select } from '../../fields.ts'
import { aliasModes, type SiteAlias } from '../../rules/site-aliases.ts'
import { sharedGrants } from './grants.ts'
import { undoAliasMode, undoDomain } from './undo-rules.ts'

/** Further names of a site. Its primary domain is the field `domain`. */
export const domainsFields = {
  /** Null: none. `usr_alias_domains` has their hosts as text. */
  aliases: json<SiteAlias[]>({ read_only: true, server_owned: true, label: 'Aliases' }),
} as const

/** What becomes of the primary domain when another one takes its place. */
const oldDomainChoices = ['redirect', 'serve', 'remove'] as const

const wherever = ['Live', 'Suspended', 'Failed'] as const

const aliasOf = (label: string) => data({ reqd: true, length: 300, label })

/** Actions about the names that a site answers under. */
export const domainsActions = {
  add_alias: {
    label: 'Add alias',
    keywords: ['Domain'],
    activity: 'added an alias to the site',
    allow: sharedGrants('write'),
    from: wherever,
    capability: 'aliases',
    args: {
      domain: aliasOf('Domain'),
      mode: select(aliasModes, { reqd: true, default: 'redirect', label: 'Visitors' }),
    },
    returns: 'AliasChanged',
    hidden: true,
  },
  set_alias_mode: {
    label: 'Change alias',
    activity: 'changed an alias of the site',
    allow: sharedGrants('write'),
    from: wherever,
    capability: 'aliases',
    args: { domain: aliasOf('Domain'), mode: select(aliasModes, { reqd: true, label: 'Visitors' }) },
    returns: 'AliasChanged',
    undo: undoAliasMode,
    hidden: true,
  },
  remove_alias: {
    label: 'Remove alias',
    activity: 'removed an alias of the site',
    allow: sharedGrants('write'),
    from: wherever,
    capability: 'aliases',
    args: { domain: aliasOf('Domain') },
    returns: 'AliasChanged',
    hidden: true,
  },
  set_aliases: {
    label: 'Set aliases',
    activity: 'changed the aliases of the site',
    allow: sharedGrants('write'),
    from: wherever,
    capability: 'aliases',
    args: {
      domains: json<string[]>({
        reqd: true,
        is_list: 'texts',
        max_bytes: 16_384,
        description: 'All that the site is to have: others are removed.',
      }),
      mode: select(aliasModes, { reqd: true, default: 'redirect', label: 'Visitors' }),
    },
    returns: 'AliasesChanged',
    hidden: true,
  },
  preview_domain_change: {
    label: 'Look for the primary domain',
    allow: sharedGrants('write'),
    from: ['Live'],
    capability: 'domain_change',
    args: {
      domain: aliasOf('New domain'),
      after: data({ length: 300, label: 'Where the part before ended' }),
    },
    reads: true,
    tokens: 'sites:write',
    returns: 'DomainChangePreview',
    hidden: true,
  },
  change_domain: {
    label: 'Change primary domain',
    keywords: ['Rename', 'URL'],
    activity: 'changed the primary domain',
    allow: sharedGrants('write'),
    from: ['Live'],
    capability: 'domain_change',
    args: {
      domain: aliasOf('New domain'),
      old_domain: select(oldDomainChoices, { reqd: true, default: 'redirect', label: 'The old domain' }),
      dry_run: check({ description: 'Says what would be replaced in the database, and changes nothing.' }),
    },
    job: true,
    returns: 'DomainChange',
    undo: undoDomain,
    hidden: true,
  },
} as const
