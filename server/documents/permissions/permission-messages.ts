import { plural, msg, type LocalizedMessage, type MessageValue } from '#shared/localized-message.ts'
import type { Operation } from './gate.ts'

/** Subject of a clause. `count`: 1 for one person, 2 for several; other languages inflect the verb differently. */
export interface Someone {
  readonly who: MessageValue
  readonly count: 1 | 2
}

/** Clauses about one permission. `what`: "sites", "the site blog". */
export interface MayWords {
  readonly you: (what: LocalizedMessage) => LocalizedMessage
  readonly youNot: (what: LocalizedMessage) => LocalizedMessage
  readonly they: (someone: Someone, what: LocalizedMessage) => LocalizedMessage
  /** `which`: describes the rows, placed after `what`. */
  readonly theySome: (someone: Someone, what: LocalizedMessage, which: LocalizedMessage) => LocalizedMessage
  /** A named user. */
  readonly nameNot: (name: string, what: LocalizedMessage) => LocalizedMessage
  /** A complete sentence. */
  readonly nobody: (what: LocalizedMessage) => LocalizedMessage
  readonly thisTokenNot: (what: LocalizedMessage) => LocalizedMessage
  readonly tokensNot: (what: LocalizedMessage) => LocalizedMessage
}

/** Complete clauses for each operation, because word order and verb forms differ between languages. */
export const mayWords: Readonly<Record<Operation, MayWords>> = {
  read: {
    you: (what) => msg`You may see ${what}`,
    youNot: (what) => msg`You may not see ${what}`,
    they: ({ who, count }, what) => plural(count, msg`${who} may see ${what}`, msg`${who} may see ${what}`),
    theySome: ({ who, count }, what, which) =>
      plural(count, msg`${who} may see ${what} ${which}`, msg`${who} may see ${what} ${which}`),
    nameNot: (name, what) => msg`${name} may not see ${what}`,
    nobody: (what) => msg`Nobody may see ${what} directly.`,
    thisTokenNot: (what) => msg`This API token may not see ${what}`,
    tokensNot: (what) => msg`API tokens may not see ${what}`,
  },
  create: {
    you: (what) => msg`You may create ${what}`,
    youNot: (what) => msg`You may not create ${what}`,
    they: ({ who, count }, what) => plural(count, msg`${who} may create ${what}`, msg`${who} may create ${what}`),
    theySome: ({ who, count }, what, which) =>
      plural(count, msg`${who} may create ${what} ${which}`, msg`${who} may create ${what} ${which}`),
    nameNot: (name, what) => msg`${name} may not create ${what}`,
    nobody: (what) => msg`Nobody may create ${what} directly.`,
    thisTokenNot: (what) => msg`This API token may not create ${what}`,
    tokensNot: (what) => msg`API tokens may not create ${what}`,
  },
  write: {
    you: (what) => msg`You may change ${what}`,
    youNot: (what) => msg`You may not change ${what}`,
    they: ({ who, count }, what) => plural(count, msg`${who} may change ${what}`, msg`${who} may change ${what}`),
    theySome: ({ who, count }, what, which) =>
      plural(count, msg`${who} may change ${what} ${which}`, msg`${who} may change ${what} ${which}`),
    nameNot: (name, what) => msg`${name} may not change ${what}`,
    nobody: (what) => msg`Nobody may change ${what} directly.`,
    thisTokenNot: (what) => msg`This API token may not change ${what}`,
    tokensNot: (what) => msg`API tokens may not change ${what}`,
  },
  delete: {
    you: (what) => msg`You may delete ${what}`,
    youNot: (what) => msg`You may not delete ${what}`,
    they: ({ who, count }, what) => plural(count, msg`${who} may delete ${what}`, msg`${who} may delete ${what}`),
    theySome: ({ who, count }, what, which) =>
      plural(count, msg`${who} may delete ${what} ${which}`, msg`${who} may delete ${what} ${which}`),
    nameNot: (name, what) => msg`${name} may not delete ${what}`,
    nobody: (what) => msg`Nobody may delete ${what} directly.`,
    thisTokenNot: (what) => msg`This API token may not delete ${what}`,
    tokensNot: (what) => msg`API tokens may not delete ${what}`,
  },
}

/** The same clauses for an action, with its label. */
export function mayUseWords(label: LocalizedMessage): MayWords {
  return {
    you: (what) => msg`You may use “${label}” on ${what}`,
    youNot: (what) => msg`You may not use “${label}” on ${what}`,
    they: ({ who, count }, what) =>
      plural(count, msg`${who} may use “${label}” on ${what}`, msg`${who} may use “${label}” on ${what}`),
    theySome: ({ who, count }, what, which) =>
      plural(
        count,
        msg`${who} may use “${label}” on ${what} ${which}`,
        msg`${who} may use “${label}” on ${what} ${which}`,
      ),
    nameNot: (name, what) => msg`${name} may not use “${label}” on ${what}`,
    nobody: (what) => msg`Nobody may use “${label}” on ${what} directly.`,
    thisTokenNot: (what) => msg`This API token may not use “${label}” on ${what}`,
    tokensNot: (what) => msg`API tokens may not use “${label}” on ${what}`,
  }
}
