import { plural, msg, type LocalizedMessage, type MessageValue } from '#shared/localized-message.ts'
import type { Operation } from './gate.ts'

/** Subject of a clause. `count`: 1 for one person, 2 for several; other languages inflect the verb differently. */
export interface Subject {
  readonly who: MessageValue
  readonly count: 1 | 2
}

/** Clauses about one permission. `what`: "sites", "the site blog". */
export interface PermissionMessages {
  readonly you: (what: LocalizedMessage) => LocalizedMessage
  readonly youNot: (what: LocalizedMessage) => LocalizedMessage
  readonly they: (someone: Subject, what: LocalizedMessage) => LocalizedMessage
  /** `which`: describes the rows, placed after `what`. */
  readonly theySome: (someone: Subject, what: LocalizedMessage, which: LocalizedMessage) => LocalizedMessage
  /** A named user. */
  readonly nameNot: (name: string, what: LocalizedMessage) => LocalizedMessage
  /** A complete sentence. */
  readonly nobody: (what: LocalizedMessage) => LocalizedMessage
  readonly thisTokenNot: (what: LocalizedMessage) => LocalizedMessage
  readonly tokensNot: (what: LocalizedMessage) => LocalizedMessage
}

/** Complete clauses for each operation, because word order and verb forms differ between languages. */
export const operationMessages: Readonly<Record<Operation, PermissionMessages>> = {
  read: {
    you: (what) => msg`You can see ${what}`,
    youNot: (what) => msg`You can’t see ${what}`,
    they: ({ who, count }, what) => plural(count, msg`${who} can see ${what}`, msg`${who} can see ${what}`),
    theySome: ({ who, count }, what, which) =>
      plural(count, msg`${who} can see ${what} ${which}`, msg`${who} can see ${what} ${which}`),
    nameNot: (name, what) => msg`${name} can’t see ${what}`,
    nobody: (what) => msg`No one can see ${what} directly.`,
    thisTokenNot: (what) => msg`This API token can’t see ${what}`,
    tokensNot: (what) => msg`API tokens can’t see ${what}`,
  },
  create: {
    you: (what) => msg`You can create ${what}`,
    youNot: (what) => msg`You can’t create ${what}`,
    they: ({ who, count }, what) => plural(count, msg`${who} can create ${what}`, msg`${who} can create ${what}`),
    theySome: ({ who, count }, what, which) =>
      plural(count, msg`${who} can create ${what} ${which}`, msg`${who} can create ${what} ${which}`),
    nameNot: (name, what) => msg`${name} can’t create ${what}`,
    nobody: (what) => msg`No one can create ${what} directly.`,
    thisTokenNot: (what) => msg`This API token can’t create ${what}`,
    tokensNot: (what) => msg`API tokens can’t create ${what}`,
  },
  write: {
    you: (what) => msg`You can change ${what}`,
    youNot: (what) => msg`You can’t change ${what}`,
    they: ({ who, count }, what) => plural(count, msg`${who} can change ${what}`, msg`${who} can change ${what}`),
    theySome: ({ who, count }, what, which) =>
      plural(count, msg`${who} can change ${what} ${which}`, msg`${who} can change ${what} ${which}`),
    nameNot: (name, what) => msg`${name} can’t change ${what}`,
    nobody: (what) => msg`No one can change ${what} directly.`,
    thisTokenNot: (what) => msg`This API token can’t change ${what}`,
    tokensNot: (what) => msg`API tokens can’t change ${what}`,
  },
  delete: {
    you: (what) => msg`You can delete ${what}`,
    youNot: (what) => msg`You can’t delete ${what}`,
    they: ({ who, count }, what) => plural(count, msg`${who} can delete ${what}`, msg`${who} can delete ${what}`),
    theySome: ({ who, count }, what, which) =>
      plural(count, msg`${who} can delete ${what} ${which}`, msg`${who} can delete ${what} ${which}`),
    nameNot: (name, what) => msg`${name} can’t delete ${what}`,
    nobody: (what) => msg`No one can delete ${what} directly.`,
    thisTokenNot: (what) => msg`This API token can’t delete ${what}`,
    tokensNot: (what) => msg`API tokens can’t delete ${what}`,
  },
}

/** The same clauses for an action, with its label. */
export function actionMessages(label: LocalizedMessage): PermissionMessages {
  return {
    you: (what) => msg`You can use “${label}” on ${what}`,
    youNot: (what) => msg`You can’t use “${label}” on ${what}`,
    they: ({ who, count }, what) =>
      plural(count, msg`${who} can use “${label}” on ${what}`, msg`${who} can use “${label}” on ${what}`),
    theySome: ({ who, count }, what, which) =>
      plural(
        count,
        msg`${who} can use “${label}” on ${what} ${which}`,
        msg`${who} can use “${label}” on ${what} ${which}`,
      ),
    nameNot: (name, what) => msg`${name} can’t use “${label}” on ${what}`,
    nobody: (what) => msg`No one can use “${label}” on ${what} directly.`,
    thisTokenNot: (what) => msg`This API token can’t use “${label}” on ${what}`,
    tokensNot: (what) => msg`API tokens can’t use “${label}” on ${what}`,
  }
}
