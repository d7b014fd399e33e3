import { plural, say, type Sentence, type SentenceValue } from '#shared/sentence.ts'
import type { Operation } from './gate.ts'

/** Subject of a clause. `count`: 1 for one person, 2 for several; other languages inflect the verb differently. */
export interface Someone {
  readonly who: SentenceValue
  readonly count: 1 | 2
}

/** Clauses about one permission. `what`: "sites", "the site blog". */
export interface MayWords {
  readonly you: (what: Sentence) => Sentence
  readonly youNot: (what: Sentence) => Sentence
  readonly they: (someone: Someone, what: Sentence) => Sentence
  /** `which`: describes the rows, placed after `what`. */
  readonly theySome: (someone: Someone, what: Sentence, which: Sentence) => Sentence
  /** A named user. */
  readonly nameNot: (name: string, what: Sentence) => Sentence
  /** A complete sentence. */
  readonly nobody: (what: Sentence) => Sentence
  readonly thisTokenNot: (what: Sentence) => Sentence
  readonly tokensNot: (what: Sentence) => Sentence
}

/** Complete clauses for each operation, because word order and verb forms differ between languages. */
export const mayWords: Readonly<Record<Operation, MayWords>> = {
  read: {
    you: (what) => say`You may see ${what}`,
    youNot: (what) => say`You may not see ${what}`,
    they: ({ who, count }, what) => plural(count, say`${who} may see ${what}`, say`${who} may see ${what}`),
    theySome: ({ who, count }, what, which) =>
      plural(count, say`${who} may see ${what} ${which}`, say`${who} may see ${what} ${which}`),
    nameNot: (name, what) => say`${name} may not see ${what}`,
    nobody: (what) => say`Nobody may see ${what} directly.`,
    thisTokenNot: (what) => say`This API token may not see ${what}`,
    tokensNot: (what) => say`API tokens may not see ${what}`,
  },
  create: {
    you: (what) => say`You may create ${what}`,
    youNot: (what) => say`You may not create ${what}`,
    they: ({ who, count }, what) => plural(count, say`${who} may create ${what}`, say`${who} may create ${what}`),
    theySome: ({ who, count }, what, which) =>
      plural(count, say`${who} may create ${what} ${which}`, say`${who} may create ${what} ${which}`),
    nameNot: (name, what) => say`${name} may not create ${what}`,
    nobody: (what) => say`Nobody may create ${what} directly.`,
    thisTokenNot: (what) => say`This API token may not create ${what}`,
    tokensNot: (what) => say`API tokens may not create ${what}`,
  },
  write: {
    you: (what) => say`You may change ${what}`,
    youNot: (what) => say`You may not change ${what}`,
    they: ({ who, count }, what) => plural(count, say`${who} may change ${what}`, say`${who} may change ${what}`),
    theySome: ({ who, count }, what, which) =>
      plural(count, say`${who} may change ${what} ${which}`, say`${who} may change ${what} ${which}`),
    nameNot: (name, what) => say`${name} may not change ${what}`,
    nobody: (what) => say`Nobody may change ${what} directly.`,
    thisTokenNot: (what) => say`This API token may not change ${what}`,
    tokensNot: (what) => say`API tokens may not change ${what}`,
  },
  delete: {
    you: (what) => say`You may delete ${what}`,
    youNot: (what) => say`You may not delete ${what}`,
    they: ({ who, count }, what) => plural(count, say`${who} may delete ${what}`, say`${who} may delete ${what}`),
    theySome: ({ who, count }, what, which) =>
      plural(count, say`${who} may delete ${what} ${which}`, say`${who} may delete ${what} ${which}`),
    nameNot: (name, what) => say`${name} may not delete ${what}`,
    nobody: (what) => say`Nobody may delete ${what} directly.`,
    thisTokenNot: (what) => say`This API token may not delete ${what}`,
    tokensNot: (what) => say`API tokens may not delete ${what}`,
  },
}

/** The same clauses for an action, with its label. */
export function mayUseWords(label: Sentence): MayWords {
  return {
    you: (what) => say`You may use “${label}” on ${what}`,
    youNot: (what) => say`You may not use “${label}” on ${what}`,
    they: ({ who, count }, what) =>
      plural(count, say`${who} may use “${label}” on ${what}`, say`${who} may use “${label}” on ${what}`),
    theySome: ({ who, count }, what, which) =>
      plural(
        count,
        say`${who} may use “${label}” on ${what} ${which}`,
        say`${who} may use “${label}” on ${what} ${which}`,
      ),
    nameNot: (name, what) => say`${name} may not use “${label}” on ${what}`,
    nobody: (what) => say`Nobody may use “${label}” on ${what} directly.`,
    thisTokenNot: (what) => say`This API token may not use “${label}” on ${what}`,
    tokensNot: (what) => say`API tokens may not use “${label}” on ${what}`,
  }
}
