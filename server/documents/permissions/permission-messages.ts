import { plural, msg, type LocalizedMessage, type MessageValue } from '#shared/localized-message.ts'
import type { Operation } from './gate.ts'

/** Subject of a clause. `count`: 1 for one person, 2 for several; other languages inflect the verb differently. */
export interface Subject {
  readonly who: MessageValue
  readonly count: 1 | 2
}

/** Clauses about one permission. `what`: "sites", "the site blog". */
export interface PermissionMessages {
  readonly youCan: (what: LocalizedMessage) => LocalizedMessage
  readonly youCannot: (what: LocalizedMessage) => LocalizedMessage
  readonly theyCan: (someone: Subject, what: LocalizedMessage) => LocalizedMessage
  /** `which`: describes the rows, placed after `what`. */
  readonly theyCanSome: (someone: Subject, what: LocalizedMessage, which: LocalizedMessage) => LocalizedMessage
  /** A named user. */
  readonly nameCannot: (name: string, what: LocalizedMessage) => LocalizedMessage
  /** A complete sentence. */
  readonly noOneCan: (what: LocalizedMessage) => LocalizedMessage
  readonly tokenCannot: (what: LocalizedMessage) => LocalizedMessage
  readonly tokensCannot: (what: LocalizedMessage) => LocalizedMessage
}

/** Complete clauses for each operation, because word order and verb forms differ between languages. */
export const operationMessages: Readonly<Record<Operation, PermissionMessages>> = {
  read: {
    youCan: (what) => msg`You can see ${what}`,
    youCannot: (what) => msg`You can’t see ${what}`,
    theyCan: ({ who, count }, what) => plural(count, msg`${who} can see ${what}`, msg`${who} can see ${what}`),
    theyCanSome: ({ who, count }, what, which) =>
      plural(count, msg`${who} can see ${what} ${which}`, msg`${who} can see ${what} ${which}`),
    nameCannot: (name, what) => msg`${name} can’t see ${what}`,
    noOneCan: (what) => msg`No one can see ${what} directly.`,
    tokenCannot: (what) => msg`This API token can’t see ${what}`,
    tokensCannot: (what) => msg`API tokens can’t see ${what}`,
  },
  create: {
    youCan: (what) => msg`You can create ${what}`,
    youCannot: (what) => msg`You can’t create ${what}`,
    theyCan: ({ who, count }, what) => plural(count, msg`${who} can create ${what}`, msg`${who} can create ${what}`),
    theyCanSome: ({ who, count }, what, which) =>
      plural(count, msg`${who} can create ${what} ${which}`, msg`${who} can create ${what} ${which}`),
    nameCannot: (name, what) => msg`${name} can’t create ${what}`,
    noOneCan: (what) => msg`No one can create ${what} directly.`,
    tokenCannot: (what) => msg`This API token can’t create ${what}`,
    tokensCannot: (what) => msg`API tokens can’t create ${what}`,
  },
  write: {
    youCan: (what) => msg`You can change ${what}`,
    youCannot: (what) => msg`You can’t change ${what}`,
    theyCan: ({ who, count }, what) => plural(count, msg`${who} can change ${what}`, msg`${who} can change ${what}`),
    theyCanSome: ({ who, count }, what, which) =>
      plural(count, msg`${who} can change ${what} ${which}`, msg`${who} can change ${what} ${which}`),
    nameCannot: (name, what) => msg`${name} can’t change ${what}`,
    noOneCan: (what) => msg`No one can change ${what} directly.`,
    tokenCannot: (what) => msg`This API token can’t change ${what}`,
    tokensCannot: (what) => msg`API tokens can’t change ${what}`,
  },
  delete: {
    youCan: (what) => msg`You can delete ${what}`,
    youCannot: (what) => msg`You can’t delete ${what}`,
    theyCan: ({ who, count }, what) => plural(count, msg`${who} can delete ${what}`, msg`${who} can delete ${what}`),
    theyCanSome: ({ who, count }, what, which) =>
      plural(count, msg`${who} can delete ${what} ${which}`, msg`${who} can delete ${what} ${which}`),
    nameCannot: (name, what) => msg`${name} can’t delete ${what}`,
    noOneCan: (what) => msg`No one can delete ${what} directly.`,
    tokenCannot: (what) => msg`This API token can’t delete ${what}`,
    tokensCannot: (what) => msg`API tokens can’t delete ${what}`,
  },
}

/** The same clauses for an action, with its label. */
export function actionMessages(label: LocalizedMessage): PermissionMessages {
  return {
    youCan: (what) => msg`You can use “${label}” on ${what}`,
    youCannot: (what) => msg`You can’t use “${label}” on ${what}`,
    theyCan: ({ who, count }, what) =>
      plural(count, msg`${who} can use “${label}” on ${what}`, msg`${who} can use “${label}” on ${what}`),
    theyCanSome: ({ who, count }, what, which) =>
      plural(
        count,
        msg`${who} can use “${label}” on ${what} ${which}`,
        msg`${who} can use “${label}” on ${what} ${which}`,
      ),
    nameCannot: (name, what) => msg`${name} can’t use “${label}” on ${what}`,
    noOneCan: (what) => msg`No one can use “${label}” on ${what} directly.`,
    tokenCannot: (what) => msg`This API token can’t use “${label}” on ${what}`,
    tokensCannot: (what) => msg`API tokens can’t use “${label}” on ${what}`,
  }
}
