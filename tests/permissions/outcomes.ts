import type { Answer } from './world.ts'

/** What a call came to. `shown`: a list or count holds the document; `hidden`: it does not. */
export type Outcome = 'passed' | 'refused' | 'missing' | 'shown' | 'hidden' | `unexpected ${string}`

/** The outcome of a call about one document. */
export function outcomeOf({ status, text, body }: Answer): Outcome {
  if (status === 200 || status === 202) return 'passed'
  if (status === 403) return body['exc_type'] === 'PermissionError' ? 'refused' : `unexpected 403 ${text}`
  if (status === 404) return body['exc_type'] === 'DoesNotExistError' ? 'missing' : `unexpected 404 ${text}`
  // A rule about states or values spoke: the gate was passed before.
  if ((status === 417 || status === 409) && body['exc_type'] !== 'LinkValidationError') return 'passed'
  return `unexpected ${status} ${text.slice(0, 300)}`
}

/** The outcome of a list: whether a name is in it. */
export function listed(answer: Answer, name: string): Outcome {
  if (answer.status !== 200) return outcomeOf(answer)
  return answer.text.includes(JSON.stringify(name)) ? 'shown' : 'hidden'
}

/** The outcome of a count that the document alone would make one. */
export const counted = (answer: Answer): Outcome =>
  answer.status === 200 ? (answer.body['message'] === 0 ? 'hidden' : 'shown') : outcomeOf(answer)

/** The outcome of a question about rights. */
export const granted = (answer: Answer, yes: boolean): Outcome =>
  answer.status === 200 ? (yes ? 'shown' : 'hidden') : outcomeOf(answer)
